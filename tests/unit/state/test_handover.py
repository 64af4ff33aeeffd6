"""What a person who takes a thread is shown, and when an edit undoes it."""

from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage

from state.handover import AGENT, BY, as_handover, packet, undone
from state.session import Held, SessionState
from state.summary import EMPTY

HELD = Held(call="c1", reason="They ask.", turn=1)
CALLING = AIMessage("", id="a1", tool_calls=[ToolCall(name="hand_over", args={}, id="c1")])


def state(*messages: AnyMessage, **more: Any) -> SessionState:
    base: Any = {"turn": 1, "at": "2026-11-30T09:00:00+00:00", "person": HELD, **more}
    base["messages"] = list(messages)
    return cast("SessionState", base)


def test_a_packet_holds_facts_open_threads_and_the_last_words() -> None:
    items = [
        {"id": 1, "kind": "open", "text": "A refund is due.", "turns": [1]},
        {"id": 2, "kind": "happened", "text": "They wrote.", "turns": [1]},
    ]
    agents = AIMessage("Ann here.", id="p", additional_kwargs={BY: AGENT})
    shown = packet(
        state(
            HumanMessage("A person!", id="h"),
            CALLING,
            ToolMessage("told", tool_call_id="c1"),
            AIMessage("x" * 3000, id="b"),
            agents,
            facts={"note": [{"kind": "note", "value": "v"}]},
            summary={**EMPTY, "items": items},
        ),
        HELD,
    )
    assert (shown["call"], shown["reason"], shown["turn"]) == ("c1", "They ask.", 1)
    assert [(f["kind"], f["value"]) for f in shown["facts"]] == [("note", "v")]
    assert shown["open"] == ["A refund is due."]
    assert [(t["by"], t["text"][:10], len(t["text"])) for t in shown["turns"]] == [
        ("user", "A person!", 9),
        ("bot", "x" * 10, 2000),
        ("agent", "Ann here.", 9),
    ]
    assert as_handover(shown) == shown
    assert as_handover({"kind": "confirm"}) is None


def test_a_packet_stays_small() -> None:
    talk: list[AnyMessage] = []
    for n in range(30):
        talk += [HumanMessage(f"q{n}", id=f"h{n}"), AIMessage(f"a{n}", id=f"a{n}")]
    assert [t["text"] for t in packet(state(*talk), HELD)["turns"]][:1] == ["q24"]


@pytest.mark.parametrize(
    ("given", "gone"),
    [
        (state(HumanMessage("A person!"), CALLING), False),
        (state(HumanMessage("Never mind.")), True),
        (state(HumanMessage("x"), CALLING, HumanMessage("y")), False),
        (state(HumanMessage("y"), summary={**EMPTY, "through": 5}), False),
        (state(HumanMessage("Never mind."), person=None), False),
    ],
)
def test_an_edit_of_the_exchange_that_called_undoes_it(given: SessionState, *, gone: bool) -> None:
    assert undone(given) is gone
