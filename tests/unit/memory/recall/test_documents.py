from typing import Any

from memory.recall.documents import Speakers, document, indexed, legs_of
from memory.transcript import Row


def row(*messages: dict[str, Any], at: str = "2026-03-01T10:00:00+00:00") -> Row:
    return Row(turn=3, at=at, ids=[], messages=list(messages), before=None, block=None, user="")


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "id": "u", "content": content}


def assistant(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "id": "a", "content": content, **more}


def test_both_legs_name_date_and_speaker() -> None:
    legs = indexed(row(user("My dog is Rex"), assistant("A fine name.")))
    assert legs["user"] == "01 March 2026\nuser: My dog is Rex"
    assert legs["exchange"] == "01 March 2026\nuser: My dog is Rex\nassistant: A fine name."


def test_tool_calls_and_results_are_left_out() -> None:
    called = assistant("", calls=[{"id": "c", "name": "parcel", "args": {}}])
    result = {"role": "tool", "id": "t", "content": "SECRET", "name": "parcel", "call": "c"}
    said = document("k", row(user("Where is it?"), called, result, assistant("On its way.")))
    assert (said.user, said.assistant) == ("Where is it?", "On its way.")


def test_of_blocks_the_text_is_read_and_several_messages_are_joined() -> None:
    blocks = [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": "x"}}]
    said = document("k", row(user(blocks), user("And?"), assistant("Nice.")))
    assert said.user == "Look\nAnd?"


def test_a_leg_without_words_is_left_out() -> None:
    assert indexed(row(user(""), assistant(""))) == {}
    assert set(indexed(row(user("Hello")))) == {"user"}
    assert set(indexed(row(assistant("Hello"), at=""))) == {"exchange"}


def test_speakers_may_have_names() -> None:
    said = document("k", row(user("Hi"), assistant("Ho"), at=""))
    named = legs_of(said, Speakers(user="Ann", assistant="Bo"))
    assert named["exchange"] == "Ann: Hi\nBo: Ho"
