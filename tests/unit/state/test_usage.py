"""What the providers report of a reply, added up."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from state.usage import ModelUsage, added, less, reported


def told(input: int, output: int, **details: int) -> AIMessage:
    usage: Any = {
        "input_tokens": input,
        "output_tokens": output,
        "total_tokens": input + output,
        "input_token_details": details,
    }
    return AIMessage("Hi", usage_metadata=usage)


def total(requests: int, input: int, cached: int, output: int) -> ModelUsage:
    return ModelUsage(
        requests=requests, input_tokens=input, cached_tokens=cached, output_tokens=output
    )


@pytest.mark.parametrize(
    ("reply", "after"),
    [
        (told(10, 2), total(1, 10, 0, 2)),
        (told(10, 2, cache_read=8, audio=1), total(1, 10, 8, 2)),
        (AIMessage("Hi"), total(1, 0, 0, 0)),
    ],
)
def test_the_first_reply_of_a_model(reply: AIMessage, after: ModelUsage) -> None:
    assert added({}, {"m": reported(reply)}) == {"m": after}


def test_later_replies_add_up_by_model_and_change_nothing_in_place() -> None:
    first = added({}, {"m": reported(told(10, 2, cache_read=8))})
    second = added(first, {"other": reported(told(1, 1))})
    third = added(second, {"m": reported(told(20, 3, cache_read=10))})
    assert first == {"m": total(1, 10, 8, 2)}
    assert third == {"m": total(2, 30, 18, 5), "other": total(1, 1, 0, 1)}


def test_what_was_added_is_what_is_more() -> None:
    first = {"m": total(1, 10, 8, 2), "idle": total(1, 1, 0, 1)}
    later = added(first, {"m": total(2, 30, 10, 5), "other": total(1, 1, 0, 1)})
    assert less(later, first) == {"m": total(2, 30, 10, 5), "other": total(1, 1, 0, 1)}
    assert less(first, first) == {}
