"""When a turn searches, and what it says of it."""

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from nodes.recall import asked_in, gate, recall_or_respond
from state.recalled import Recalled
from state.session import Held, SessionState
from tests.unit.state.talk import summary

WINDOW: list[AnyMessage] = [
    HumanMessage("We met Oswin.", id="1"),
    AIMessage("Nice.", id="2"),
    HumanMessage("> Who is Halvorsen?\nTell Oswin hello.", id="3"),
]
LEFT = SessionState(messages=WINDOW, summary=summary(through=3))


def decided(*, searched: bool) -> Recalled:
    return Recalled(searched=searched, reason="", sought="", passages=[], trouble="")


def test_the_window_is_what_came_before_the_newest_words() -> None:
    assert not gate(LEFT, WINDOW, "auto")["searched"]
    stranger = [*WINDOW[:2], HumanMessage("Tell Halvorsen hello.", id="3")]
    assert gate(LEFT, stranger, "auto")["reason"] == "not in the window: 'halvo'"
    assert not gate(LEFT, stranger, "never")["searched"]
    assert not gate(SessionState(messages=WINDOW), stranger, "always")["searched"]


def test_what_might_be_said_next_is_asked_of_the_whole_window() -> None:
    assert gate(LEFT, WINDOW, "auto", asked="Tell Bert hello.")["searched"]
    assert not gate(LEFT, WINDOW, "auto", asked="Tell Oswin hello.")["searched"]


def test_quoted_lines_are_not_the_users_own() -> None:
    assert asked_in(WINDOW).strip() == "Tell Oswin hello."


def test_the_way_to_the_reply() -> None:
    held = Held(call="c", reason="r", turn=1)
    assert recall_or_respond(SessionState(recalled=decided(searched=True))) == "recall"
    assert recall_or_respond(SessionState(recalled=decided(searched=False))) == "respond"
    assert recall_or_respond(SessionState()) == "respond"
    both = SessionState(recalled=decided(searched=True), person=held)
    assert recall_or_respond(both) == "person"
