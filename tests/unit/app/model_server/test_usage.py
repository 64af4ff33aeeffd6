from typing import Any

from app.model_server.chat import ChatRequest
from app.model_server.steps import call, text, tool_calls
from app.model_server.usage import UsageMeter

SYSTEM = {"role": "system", "content": "You are a careful clerk. " * 8}


def request(*words: str, model: str = "any") -> ChatRequest:
    messages: list[dict[str, Any]] = [SYSTEM, *({"role": "user", "content": w} for w in words)]
    return ChatRequest({"model": model, "messages": messages})


def test_counts_four_characters_a_token() -> None:
    usage = UsageMeter().measure(request("Hello"), text("12345678"))
    assert usage.prompt_tokens > len(SYSTEM["content"]) // 4
    assert usage.completion_tokens == 2
    assert usage.cached_tokens == 0
    assert UsageMeter().measure(request("x"), tool_calls(call("abcd", {}))).completion_tokens == 2


def test_finds_what_an_earlier_prompt_began_with() -> None:
    meter = UsageMeter()
    first = meter.measure(request("Hello"), text("x"))
    other = meter.measure(request("Something else entirely"), text("x"))
    second = meter.measure(request("Hello", "And then?"), text("x"))
    assert other.cached_tokens < second.cached_tokens
    assert first.prompt_tokens - 2 <= second.cached_tokens <= first.prompt_tokens


def test_a_changed_beginning_and_another_model_find_nothing() -> None:
    meter = UsageMeter()
    meter.measure(request("Hello"), text("x"))
    assert meter.measure(request("Hello", model="other"), text("x")).cached_tokens == 0
    changed = ChatRequest({"model": "any", "messages": [{"role": "system", "content": "New"}]})
    assert meter.measure(changed, text("x")).cached_tokens < 15
