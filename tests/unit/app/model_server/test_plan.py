import json
from typing import Any

import pytest

from app.model_server import faults, plan, wire
from app.model_server.chat import ChatRequest
from app.model_server.steps import Step, Usage, call, hold, text, tool_calls

ENVELOPE = wire.Envelope(id="chatcmpl-1", created=7, model="any")
USAGE = Usage(prompt_tokens=9, completion_tokens=3, cached_tokens=4)


def acts(step: Step, *, stream: bool, include_usage: bool = False) -> list[plan.Act]:
    body = {"model": "any", "messages": [], "stream": stream}
    if include_usage:
        body["stream_options"] = {"include_usage": True}
    return list(plan.plan(step, ChatRequest(body), ENVELOPE, USAGE))


def events(given: list[plan.Act]) -> list[dict[str, Any]]:
    sent = [act.body for act in given if isinstance(act, plan.Send)]
    assert all(body.startswith(b"data: ") and body.endswith(b"\n\n") for body in sent)
    return [json.loads(body[6:]) for body in sent if body != wire.DONE]


def body_of(given: list[plan.Act]) -> dict[str, Any]:
    start, sent = (act for act in given if not isinstance(act, plan.Pause))
    assert isinstance(start, plan.Start)
    assert isinstance(sent, plan.Send)
    assert start.headers["content-length"] == str(len(sent.body))
    parsed: dict[str, Any] = json.loads(sent.body)
    return parsed


def test_a_stream_has_role_words_end_and_done() -> None:
    given = acts(text("Grüße an alle"), stream=True)
    assert given[0] == plan.Start(200, {"content-type": "text/event-stream; charset=utf-8"})
    assert given[-1] == plan.Send(wire.DONE)
    deltas = [event["choices"][0]["delta"] for event in events(given)]
    assert deltas == [
        {"role": "assistant", "content": "", "refusal": None},
        {"content": "Grüße "},
        {"content": "an "},
        {"content": "alle"},
        {},
    ]
    ends = [event["choices"][0]["finish_reason"] for event in events(given)]
    assert ends == [None, None, None, None, "stop"]


def test_usage_is_streamed_only_when_asked_for() -> None:
    assert not any("usage" in event for event in events(acts(text("a"), stream=True)))
    *others, last = events(acts(text("a"), stream=True, include_usage=True))
    assert not any("usage" in event for event in others)
    assert last["choices"] == []
    assert last["usage"]["total_tokens"] == 12
    assert last["usage"]["prompt_tokens_details"]["cached_tokens"] == 4


def test_a_whole_completion() -> None:
    body = body_of(acts(text("a b"), stream=False))
    assert (body["id"], body["model"], body["created"]) == ("chatcmpl-1", "any", 7)
    assert body["choices"][0]["message"] == {"role": "assistant", "content": "a b", "refusal": None}
    assert body["usage"]["prompt_tokens"] == 9


def test_tool_calls_are_streamed_in_parts() -> None:
    step = tool_calls(call("f", {"number": "LH12345678"}, id="one"), call("g", {}), content="Wait.")
    deltas = [event["choices"][0]["delta"] for event in events(acts(step, stream=True))]
    parts = [part for delta in deltas for part in delta.get("tool_calls", ())]
    assert [(p["index"], p["id"], p["function"]["name"]) for p in parts if "id" in p] == [
        (0, "one", "f"),
        (1, parts[-2]["id"], "g"),
    ]
    first = [part["function"]["arguments"] for part in parts if part["index"] == 0]
    assert len(first) > 3
    assert json.loads("".join(first)) == {"number": "LH12345678"}


def test_a_call_without_an_id_gets_a_new_one_each_time() -> None:
    step = tool_calls(call("f", {}))
    bodies = [body_of(acts(step, stream=False)) for _ in range(2)]
    ids = {body["choices"][0]["message"]["tool_calls"][0]["id"] for body in bodies}
    assert len(ids) == 2


@pytest.mark.parametrize(("after", "before_meeting"), [(1, 1), (2, 2), (3, 3), (9, 3)])
def test_a_held_stream_meets_the_test_after_its_pieces(after: int, before_meeting: int) -> None:
    held = hold(text("a b c"), after_chunks=after)
    given = acts(held, stream=True)
    met = given.index(plan.Meet(held))
    pieces = [isinstance(act, plan.Send) and act.is_piece for act in given]
    assert sum(pieces[:met]) == before_meeting
    assert sum(pieces) == 3
    assert given[-1] == plan.Send(wire.DONE)


@pytest.mark.parametrize("stream", [True, False])
def test_a_step_held_from_the_start_sends_nothing_first(stream: bool) -> None:
    held = hold(faults.server_error())
    assert acts(held, stream=stream)[0] == plan.Meet(held)


def test_a_delay_comes_before_each_piece_or_once() -> None:
    slow = text("a b c", delay=0.25)
    assert acts(slow, stream=True).count(plan.Pause(0.25)) == 3
    assert acts(slow, stream=False).count(plan.Pause(0.25)) == 1


@pytest.mark.parametrize(
    ("step", "last"),
    [(faults.stall_midstream(), plan.Hang()), (faults.cut_stream(), plan.Drop())],
)
def test_a_broken_stream_ends_after_its_pieces(step: Step, last: plan.Act) -> None:
    given = acts(step, stream=True)
    end = given.index(last)
    assert sum(isinstance(act, plan.Send) and act.is_piece for act in given[:end]) == 2
    assert not any(isinstance(act, plan.Start) for act in given[end:])


def test_a_refusal_is_streamed_in_its_own_field() -> None:
    deltas = [
        e["choices"][0]["delta"] for e in events(acts(faults.refusal("No way."), stream=True))
    ]
    assert deltas[1:3] == [{"refusal": "No "}, {"refusal": "way."}]
    assert body_of(acts(faults.refusal("No."), stream=False))["choices"][0]["message"] == {
        "role": "assistant",
        "content": None,
        "refusal": "No.",
    }
