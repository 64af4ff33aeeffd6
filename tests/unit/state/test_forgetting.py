"""What is left of a state, and of anything made of it, when a fact is forgotten."""

from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage
from langgraph.types import Interrupt, Send

from state.actions import CORRECTED
from state.fact_budget import flat
from state.facts import Fact
from state.forgetting import (
    anything_without,
    fact_without,
    facts_stated,
    forgot,
    message_without,
    summary_without,
    waits_for_it,
    without,
)
from state.redaction import MARK, Redactor, Wanted
from state.session import SessionState
from state.summary import Pin
from state.tombstones import NONE, buried
from tests.unit.state.talk import item, summary
from tests.unit.state.told import fact

ORDER = "LH20481137"
STATED = fact("order_number", ORDER, turn=5, quote=f"about {ORDER}")
REDACTOR = Redactor(Wanted(kind="order_number", value=ORDER, turns=[5], quotes=[f"about {ORDER}"]))
SALT = "00" * 16


def called(args: dict[str, Any], *, answered: bool) -> list[AnyMessage]:
    """An exchange whose reply calls a tool."""
    call = ToolCall(name="track", args=args, id="c1", type="tool_call")
    result = ToolMessage(f"lh 2048 1137 is on its way to {ORDER[:2]}", tool_call_id="c1", id="r")
    asks = AIMessage("", id="a", tool_calls=[call])
    return [HumanMessage("Where is it?", id="u"), asks, *([result] if answered else [])]


def test_nothing_of_the_state_holds_it_and_all_else_stays() -> None:
    other = fact("order_number", "LH20481138", turn=6, was=ORDER)
    late = fact("note", f"{ORDER} is late", turn=6)
    state = SessionState(
        messages=[
            HumanMessage(f"It is about {ORDER}", id="u1", additional_kwargs={"at": "now"}),
            AIMessage("lh-20481137, I see.", id="a1"),
            *called({"parcel": ORDER, "n": 20481137, "deep": [{"id": ORDER}]}, answered=True),
        ],
        turn=6,
        summary={
            **summary(
                item(1, f"The customer asked about {ORDER} twice.", turns=[2]),
                item(2, f"Order {ORDER}.", turns=[3]),
                item(3, "The customer is kind.", turns=[3]),
                through=4,
            ),
            "pins": [
                Pin(value=ORDER, turn=2, words=f"my {ORDER}"),
                Pin(value="4471", turn=2, words=f"pin 4471 of {ORDER}"),
            ],
        },
        facts={"order_number": [STATED, other], "note": [late]},
        pinned={"order_number": [STATED]},
        ended=[STATED],
        recalled={
            "searched": True,
            "reason": f"the order {ORDER}",
            "sought": ORDER.casefold(),
            "passages": [],
            "trouble": "",
        },
        usage={ORDER: {"input": 20481137}},  # type: ignore[typeddict-item]
    )
    left = without(state, REDACTOR)

    assert [m.id for m in left["messages"]] == ["u1", "a1", "u", "a", "r"]
    said, _, _, call, result = left["messages"]
    assert said.content == f"It is about {MARK}"
    assert said.additional_kwargs == {"at": "now"}
    assert cast("AIMessage", call).tool_calls[0]["args"] == {
        "parcel": MARK, "n": 20481137, "deep": [{"id": MARK}],
    }  # fmt: skip
    assert result.content == f"{MARK} is on its way to LH"
    assert [i["text"] for i in left["summary"]["items"]] == [
        f"The customer asked about {MARK} twice.", "The customer is kind.",
    ]  # fmt: skip
    assert left["summary"]["pins"] == [Pin(value="4471", turn=2, words=f"pin 4471 of {MARK}")]
    assert [f["value"] for f in flat(left["facts"])] == ["LH20481138", f"{MARK} is late"]
    assert flat(left["facts"])[0]["was"] == ""
    assert (left["pinned"], left["ended"]) == ({}, [])
    assert (left["recalled"]["reason"], left["recalled"]["sought"]) == (f"the order {MARK}", "")
    assert left["usage"] == state["usage"]
    assert left["turn"] == 6


def test_what_began_before_fits_no_more_and_the_value_is_known_again() -> None:
    stones = buried(NONE, ORDER, through=6, salt=SALT)
    left = forgot(SessionState(turn=6, memory_version=3), REDACTOR, stones)
    assert (left["memory_version"], left["forgotten"]) == (4, stones)


def test_every_fact_that_a_state_holds_is_found_once() -> None:
    gone = fact("note", "tea")
    state = SessionState(facts={"note": [STATED]}, pinned={"note": [STATED]}, ended=[gone])
    assert facts_stated(state) == [STATED, gone]


def test_a_call_that_waits_for_it_is_seen_and_one_that_has_its_result_is_none() -> None:
    waiting = SessionState(messages=called({"parcel": ORDER}, answered=False))
    assert waits_for_it(waiting, REDACTOR)
    assert not waits_for_it(
        SessionState(messages=called({"parcel": ORDER}, answered=True)), REDACTOR
    )
    assert not waits_for_it(
        SessionState(messages=called({"parcel": "x"}, answered=False)), REDACTOR
    )
    assert not waits_for_it(SessionState(), REDACTOR)


def test_a_number_that_a_tool_is_called_with_is_hidden_too() -> None:
    pin = Redactor(Wanted(kind="budget", value="1500", turns=[1], quotes=[]))
    [_, call] = called({"most": 1500, "least": 15000, "all": True}, answered=False)
    left = cast("AIMessage", message_without(call, pin, near=False))
    assert left.tool_calls[0]["args"] == {"most": MARK, "least": 15000, "all": True}


def test_what_a_customer_corrected_is_hidden_and_ids_are_not() -> None:
    mark = {CORRECTED: [{"kind": "order_number", "value": ORDER, "old": "x"}], "after": ORDER}
    message = ToolMessage("no", tool_call_id=ORDER, id=ORDER, additional_kwargs=mark)
    left = cast("ToolMessage", message_without(message, REDACTOR, near=False))
    assert left.additional_kwargs[CORRECTED] == [{**mark[CORRECTED][0], "value": MARK}]  # type: ignore[dict-item]
    assert (left.id, left.tool_call_id, left.additional_kwargs["after"]) == (ORDER, ORDER, ORDER)


def test_text_beside_an_image_is_hidden_and_the_image_is_not() -> None:
    image = {"type": "image_url", "image_url": {"url": f"longhaul-image:t/{ORDER}"}}
    message = HumanMessage([{"type": "text", "text": f"see {ORDER}"}, image])
    left = message_without(message, REDACTOR, near=False)
    assert left.content == [{"type": "text", "text": f"see {MARK}"}, image]


def test_what_waits_for_an_answer_and_what_is_to_be_run_are_gone_through() -> None:
    asked = Interrupt({"facts": [STATED, fact("note", "tea")], "open": [f"find {ORDER}"]}, "i1")
    left = anything_without([asked], REDACTOR)[0]
    assert left == Interrupt({"facts": [fact("note", "tea")], "open": [f"find {MARK}"]}, "i1")
    [_, call] = called({"parcel": ORDER}, answered=False)
    sent = anything_without(Send("tools", {"messages": [call], "turn": 2}), REDACTOR)
    assert (sent.node, sent.arg["turn"]) == ("tools", 2)
    assert sent.arg["messages"][0].tool_calls[0]["args"] == {"parcel": MARK}


def test_in_the_exchange_that_stated_it_the_paraphrase_goes() -> None:
    stated = fact("must_not", "allergic to penicillin", turn=5, quote="penicillin is bad for me")
    redactor = Redactor(
        Wanted(kind="must_not", value=stated["value"], turns=[5], quotes=[stated["quote"]])
    )
    said: list[AnyMessage] = [
        HumanMessage("penicillin is bad for me", id="1"), AIMessage("No penicillin, then.", id="2"),
        HumanMessage("Is penicillin a drug?", id="3"), AIMessage("It is.", id="4"),
    ]  # fmt: skip
    state = SessionState(messages=said, summary=summary(through=4))
    words = [m.content for m in without(state, redactor)["messages"]]
    assert words == [MARK, f"No {MARK}, then.", "Is penicillin a drug?", "It is."]
    notes = summary(item(1, "The customer takes no penicillin at all.", turns=[5]), through=6)
    [note] = summary_without(notes, redactor)["items"]
    assert note["text"] == f"The customer takes no {MARK} at all."


def test_a_fact_that_says_nothing_else_goes_with_it() -> None:
    assert fact_without(STATED, REDACTOR) is None
    assert fact_without(fact("note", f" {ORDER}!"), REDACTOR) is None
    assert fact_without(fact("issue", f"{ORDER} lost"), REDACTOR) is not None
    mentions = fact("note", "tea", quote=f"tea with {ORDER}", turn=2)
    assert fact_without(mentions, REDACTOR) == fact("note", "tea", quote=f"tea with {MARK}", turn=2)


WORDS = st.sampled_from(["tea", "Ann", ORDER, "lh 2048 1137", "the", "late.", "Ann Lee", MARK])
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)
FACTS = st.builds(
    lambda kind, value, quote, was, turn: fact(kind, value, quote=quote, was=was, turn=turn),
    st.sampled_from(["note", "customer_name", "order_number", "budget"]),
    TEXTS, TEXTS, TEXTS, st.integers(1, 9),
)  # fmt: skip


@st.composite
def states(draw: st.DrawFn) -> SessionState:
    """States whose every field may hold the value."""
    said = [HumanMessage(text, id=f"m{n}") for n, text in enumerate(draw(st.lists(TEXTS)))]
    by_kind: dict[str, list[Fact]] = {}
    for each in draw(st.lists(FACTS, max_size=5)):
        by_kind.setdefault(each["kind"], []).append(each)
    notes = [item(n, text, turns=[n + 1]) for n, text in enumerate(draw(st.lists(TEXTS)))]
    pins = [Pin(value=text, turn=1, words=text) for text in draw(st.lists(TEXTS, max_size=2))]
    return SessionState(
        messages=cast("list[AnyMessage]", said),
        facts=by_kind,
        pinned=by_kind,
        ended=draw(st.lists(FACTS, max_size=3)),
        summary={**summary(*notes, through=draw(st.integers(0, 9))), "pins": pins},
    )


@given(state=states(), wanted=FACTS)
def test_forgetting_twice_is_forgetting_once_and_leaves_no_such_fact(
    state: SessionState, wanted: Fact
) -> None:
    redactor = Redactor(
        Wanted(
            kind=wanted["kind"],
            value=wanted["value"],
            turns=[wanted["turn"]],
            quotes=[wanted["quote"]],
        )
    )
    once = without(state, redactor)
    assert without(once, redactor) == once
    assert [m.id for m in once["messages"]] == [m.id for m in state["messages"]]
    left = [*flat(once["facts"]), *flat(once["pinned"]), *once["ended"]]
    assert not any(redactor.is_it(each["kind"], each["value"]) for each in left)
    assert not any(redactor.holds(each["value"]) for each in left)
