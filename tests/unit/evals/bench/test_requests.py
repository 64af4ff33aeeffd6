"""What is read from the requests: tokens, what repeats, and what became of the planted values."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage, SystemMessage

from evals.bench.model import REPLY, SUMMARY
from evals.bench.requests import Asked, Counter, common_beginning, fate, read_log, repeated
from state.tokens import count_messages


def _asked(*contents: str, model: str = REPLY) -> Asked:
    system, *rest = [{"content": content, "role": "user"} for content in contents]
    messages: list[dict[str, Any]] = [{**system, "role": "system"}, *rest]
    return Asked(at=0, body={"model": model, "messages": messages})


@given(st.text(alphabet="ab"), st.text(alphabet="ab"))
def test_the_common_beginning_is_the_longest(one: str, other: str) -> None:
    shared = common_beginning(one, other)

    assert one[:shared] == other[:shared]
    assert one[shared : shared + 1] != other[shared : shared + 1] or shared == len(one + other) / 2


def test_a_request_that_goes_on_repeats_up_to_the_last_user_words() -> None:
    before = _asked("be kind", "hello there<context>noon</context>")
    now = _asked("be kind", "hello there", "hi", "how are you")

    pair = repeated(before, "hello there", now)

    assert pair.reaches
    assert pair.same_system
    assert before.text[: pair.shared].endswith("hello there")
    assert pair.length == len(now.text)


def test_a_request_that_lost_its_beginning_does_not_reach() -> None:
    before = _asked("be kind", "one", "two", "three")

    assert not repeated(before, "three", _asked("be kind", "two", "three", "four")).reaches
    assert not repeated(before, "three", _asked("be brief", "one")).same_system


def test_tokens_are_those_of_the_named_counter() -> None:
    asked = _asked("be kind", "hello there", "hello there")
    said = [SystemMessage("be kind"), HumanMessage("hello there"), HumanMessage("hello there")]

    assert Counter().tokens(asked) == count_messages(said)


def test_the_log_is_read_in_order(tmp_path: Path) -> None:
    file = tmp_path / "log"
    bodies = [{"model": REPLY, "messages": []}, {"model": SUMMARY, "messages": []}]
    file.write_text("".join(json.dumps({"at": n, "body": b}) + "\n" for n, b in enumerate(bodies)))

    assert [(a.at, a.model) for a in read_log(file)] == [(0, REPLY), (1, SUMMARY)]


def test_a_value_is_lost_only_when_it_is_nowhere() -> None:
    planted = ["sent", "shown", "stored", "gone"]

    found = fate(planted, last="... sent ...", shown={"shown", "else"}, stored={"stored"})

    assert (found.in_request, found.shown, found.stored, found.lost) == (0.25, 0.25, 0.25, 0.25)


def test_nothing_planted_is_no_result() -> None:
    with pytest.raises(ValueError, match="too short"):
        fate([], last="", shown=set(), stored=set())
