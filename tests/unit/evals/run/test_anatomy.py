"""A request that the graph's own layout made, taken apart again."""

from datetime import UTC, datetime

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from evals.run.anatomy import LAYERS, newest_parts, system_parts, tokens_by_layer
from evals.run.records import Sent
from prompts.request import Budget, Request, lay_out
from state.facts import Fact
from state.recalled import Passage, Recalled
from state.summary import Summary, SummaryItem

FACT = Fact(
    kind="note",
    value="a dog",
    turn=1,
    said="2026-03-02T09:00:00+00:00",
    about="",
    quote="a dog",
    by="user",
    was="",
    found="model",
)
SUMMARY = Summary(
    items=[SummaryItem(id=1, kind="happened", text="They met.", turns=[1])],
    pins=[],
    through=1,
    next_id=2,
)
PASSAGE = Passage(
    thread="t",
    key="k",
    why="words",
    turn=1,
    at="2026-03-02T09:00:00+00:00",
    user="Now: or never.",
    assistant="Well.",
    score=1.0,
    note="",
    elsewhere=False,
)
WORDS = "What is it?\n\n<context>\nAlso known:\n- mine\n</context>"


def laid_out(*, late: bool) -> Request:
    window: list[AnyMessage] = [
        HumanMessage("Hi.", id="1"),
        AIMessage("Hello.", id="2"),
        HumanMessage(WORDS, id="3"),
    ]
    recalled = Recalled(searched=True, reason="", sought="", passages=[PASSAGE], trouble="")
    return lay_out(
        system="Be kind.\n\nAlways.",
        window=window,
        at=datetime(2026, 3, 2, 9, tzinfo=UTC),
        time_zone="UTC",
        budget=Budget(total=4000, reply=100),
        summary=SUMMARY,
        facts={"note": [FACT]},
        late=[FACT] if late else [],
        recalled=recalled if late else None,
    )


def sent(request: Request) -> list[Sent]:
    roles = {"system": "system", "human": "user", "ai": "assistant"}
    return [Sent(role=roles[m.type], content=m.text) for m in request.messages]


def test_the_layers_are_those_of_the_layout_and_make_up_the_request() -> None:
    request = laid_out(late=True)
    found = tokens_by_layer(sent(request))
    assert tuple(found) == LAYERS
    for same in ("summary", "facts", "window"):
        assert found[same] == request.layers[same] > 0
    assert abs(found["recalled"] - request.layers["recalled"]) <= 1
    own = {"tools", "reply"}
    whole = sum(tokens for layer, tokens in request.layers.items() if layer not in own)
    assert abs(sum(found.values()) - whole) < 10


def test_the_parts_are_the_words_that_went_in() -> None:
    messages = sent(laid_out(late=True))
    system = system_parts(messages[0].content)
    assert system.persona == "Be kind.\n\nAlways."
    assert system.summary.startswith("<summary")
    assert system.facts.endswith("</facts>")
    newest = newest_parts(messages[-1].content)
    assert newest.words == WORDS
    assert newest.late.startswith("Also known:")
    assert "Now: or never" in newest.recalled
    assert "earlier" not in newest.time
    assert newest.time.startswith("Now: Monday, 2026-03-02 09:00")


def test_what_is_not_there_takes_nothing() -> None:
    found = tokens_by_layer(sent(laid_out(late=False)))
    assert (found["late"], found["recalled"]) == (0, 0)
    alone = [Sent(role="system", content="Be kind."), Sent(role="user", content="Hi.")]
    found = tokens_by_layer(alone)
    assert {layer for layer, tokens in found.items() if tokens} == {"persona", "now"}
    assert newest_parts("Hi.") == ("Hi.", "", "", "")
