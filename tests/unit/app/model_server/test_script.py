import pytest

from app.model_server import faults
from app.model_server.chat import BadRequestError, ChatRequest
from app.model_server.script import Lane, Script, ScriptExhaustedError
from app.model_server.steps import call, hold, text, tool_calls


def request(model: str = "any", words: str = "Hello") -> ChatRequest:
    return ChatRequest({"model": model, "messages": [{"role": "user", "content": words}]})


def test_plays_its_steps_in_order_and_then_runs_out() -> None:
    script = Script([text("one"), text("two")])
    assert [script.next(request()), script.next(request())] == [text("one"), text("two")]
    with pytest.raises(ScriptExhaustedError, match="out of steps for model 'any'"):
        script.next(request())


def test_takes_steps_later() -> None:
    script = Script([text("one")])
    script.add(text("two"), text("three"))
    assert script.unused() == [text("one"), text("two"), text("three")]
    assert script.next(request()) == text("one")
    assert script.unused() == [text("two"), text("three")]


def test_keeps_the_roles_apart() -> None:
    summaries = Lane([text("summary")], model="summariser")
    angry = Lane([text("calm")], when=lambda each: "!" in each.messages[-1]["content"])
    script = Script(summaries, angry)
    script.add(text("rest"))
    assert script.next(request()) == text("rest")
    assert script.next(request("summariser")) == text("summary")
    assert script.next(request(words="Hey!")) == text("calm")


def test_a_lane_that_ran_out_does_not_fall_through_to_the_next() -> None:
    script = Script(Lane([], model="summariser"), [text("rest")])
    with pytest.raises(ScriptExhaustedError):
        script.next(request("summariser"))


def test_a_function_never_runs_out() -> None:
    script = Script(lambda each: text(each.messages[-1]["content"]))
    assert [script.next(request(words=w)) for w in "abc"] == [text("a"), text("b"), text("c")]
    assert script.unused() == []


def test_steps_behind_a_function_are_refused() -> None:
    with pytest.raises(ValueError, match="takes no steps"):
        Lane(lambda _: text("x")).add(text("y"))


def test_steps_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="do not make up"):
        text("whole", pieces=["who"])
    with pytest.raises(ValueError, match="needs a call"):
        tool_calls()
    with pytest.raises(ValueError, match="only a reply can be held"):
        hold(faults.server_error(), after_chunks=1)


def test_arguments_go_out_as_json_or_as_they_stand() -> None:
    assert call("f", {"n": "é"}).arguments == '{"n": "é"}'
    assert call("f", '{"n').arguments == '{"n'


@pytest.mark.parametrize(
    "body", [{}, {"model": 1, "messages": []}, {"model": "m"}, {"model": "m", "messages": ["x"]}]
)
def test_a_body_that_is_no_chat_request_is_refused(body: dict[str, object]) -> None:
    with pytest.raises(BadRequestError):
        ChatRequest(body)
