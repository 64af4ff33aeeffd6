"""Everything that a provider does wrong, as steps of a script. Each works streamed or not."""

import json

from app.model_server.steps import (
    Broken,
    EmptyChoices,
    HttpAnswer,
    Reply,
    Stall,
    call,
    text,
    tool_calls,
    words,
)


def error(
    status: int,
    message: str,
    *,
    kind: str = "invalid_request_error",
    code: str | None = None,
    headers: dict[str, str] | None = None,
) -> HttpAnswer:
    """Refuse with the API's error body."""
    body = {"error": {"message": message, "type": kind, "param": None, "code": code}}
    return HttpAnswer(status=status, body=json.dumps(body).encode(), headers=headers or {})


def unauthorized() -> HttpAnswer:
    """Refuse the key: 401."""
    return error(401, "Incorrect API key provided.", code="invalid_api_key")


def rate_limited(*, retry_after: float = 1) -> HttpAnswer:
    """Refuse for a while: 429, with the seconds to wait in Retry-After."""
    return error(
        429,
        "Rate limit reached.",
        kind="requests",
        code="rate_limit_exceeded",
        headers={"retry-after": f"{retry_after:g}"},
    )


def server_error(*, status: int = 500) -> HttpAnswer:
    """Fail on the provider's side: 500, or another status."""
    return error(status, "The server had an error.", kind="server_error")


def context_length_exceeded(*, limit: int = 8192, asked: int = 9000) -> HttpAnswer:
    """Refuse a request as too long: 400 with the code that clients look for; sizes in tokens."""
    message = (
        f"This model's maximum context length is {limit} tokens. However, your messages resulted "
        f"in {asked} tokens. Please reduce the length of the messages."
    )
    return error(400, message, code="context_length_exceeded")


def html(*, status: int = 200) -> HttpAnswer:
    """Answer with a web page, as a proxy in between does."""
    page = b"<!DOCTYPE html><html><head><title>Please wait</title></head><body></body></html>"
    return HttpAnswer(status=status, body=page, media_type="text/html")


def stall() -> Stall:
    """Never answer."""
    return Stall()


def stall_midstream(content: str = "The beginning of a", *, after_chunks: int = 2) -> Broken:
    """Begin a stream and fall silent, the connection open."""
    return Broken(reply=text(content), how="stall", after_chunks=after_chunks)


def cut_stream(content: str = "The beginning of a", *, after_chunks: int = 2) -> Broken:
    """Drop the connection in the middle of the answer."""
    return Broken(reply=text(content), how="cut", after_chunks=after_chunks)


def error_midstream(content: str = "The beginning of a", *, after_chunks: int = 2) -> Broken:
    """Send an error as an event of a stream that began well, as proxies do."""
    return Broken(reply=text(content), how="error", after_chunks=after_chunks)


def malformed_arguments(name: str, arguments: str = "number=LH20481137") -> Reply:
    """Call a tool with arguments that are no JSON.

    Arguments that only lack their end, such as `{"number": "LH`, are another fault: LangChain's
    streaming closes what is open and reports a valid call, while its plain reply reports none.
    """
    return tool_calls(call(name, arguments))


def empty_choices() -> EmptyChoices:
    """Answer with a completion that holds no choice."""
    return EmptyChoices()


def cut_at_length(content: str = "A reply that ends in the middle of") -> Reply:
    """Stop at the token limit: finish reason `length`."""
    return text(content, finish_reason="length")


def refusal(message: str = "I can't help with that.") -> Reply:
    """Refuse in the message's own field, with no content."""
    return Reply(refusal=message, pieces=words(message))


def content_filter(content: str = "") -> Reply:
    """End by the provider's filter, after the content that went out before it."""
    return text(content, finish_reason="content_filter")
