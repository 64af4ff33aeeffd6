"""What model servers do wrong, and what is said of each fault."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from app.model_server import faults
from app.model_server.steps import HttpAnswer, Step, text

KEY = "sk-very-secret"
RETRIES = 1
TWICE = 1 + RETRIES


@dataclass(frozen=True)
class Fault:
    """What the server does, what is said of it, and how often it is asked."""

    step: Callable[[], Step]
    cause: str
    asked: int = 1
    heard: bool = False
    """Whether some words went out before it."""
    kind: Literal["faults", "stalls"] = "faults"


def sse(*lines: str) -> HttpAnswer:
    body = "".join(f"data: {line}\n\n" for line in lines).encode()
    return HttpAnswer(status=200, body=body, media_type="text/event-stream")


FAULTS = {
    "401": Fault(faults.unauthorized, "the key was refused (HTTP 401); check OPENAI_API_KEY"),
    "403": Fault(
        lambda: faults.error(403, "No."), "the key was refused (HTTP 403); check OPENAI_API_KEY"
    ),
    "404": Fault(lambda: faults.error(404, "No such model."), "HTTP 404: No such model."),
    "429": Fault(
        lambda: faults.rate_limited(retry_after=0.01),
        "too many requests (HTTP 429), also after waiting",
        asked=TWICE,
    ),
    "500": Fault(faults.server_error, "HTTP 500: The server had an error.", asked=TWICE),
    "503": Fault(
        lambda: faults.server_error(status=503), "HTTP 503: The server had an error.", asked=TWICE
    ),
    "the key repeated": Fault(
        lambda: faults.error(400, f"What is {KEY}?"), "HTTP 400: What is [key]?"
    ),
    "too long a request": Fault(
        faults.context_length_exceeded, "the request is longer than the model's context"
    ),
    "a page of HTML": Fault(faults.html, "the answer could not be read"),
    "a page of HTML, 502": Fault(lambda: faults.html(status=502), "HTTP 502", asked=TWICE),
    "no choices": Fault(faults.empty_choices, "the stream ended before the reply did"),
    "filtered whole": Fault(
        faults.content_filter, "an empty reply (finish reason 'content_filter')"
    ),
    "only NUL": Fault(lambda: text("\x00"), "an empty reply (finish reason 'stop')"),
    "no JSON": Fault(lambda: sse("{"), "the answer could not be read"),
    "other JSON": Fault(lambda: sse("[]", "[DONE]"), "the answer could not be read"),
    "a choice that is none": Fault(
        lambda: sse('{"choices": [7]}', "[DONE]"), "the answer could not be read"
    ),
    "words that are none": Fault(
        lambda: sse('{"choices": [{"delta": {"content": 7}}]}', "[DONE]"),
        "the answer could not be read",
    ),
    "cut at once": Fault(
        lambda: faults.cut_stream(after_chunks=0), "the connection failed (peer closed"
    ),
    "cut": Fault(faults.cut_stream, "the connection failed (peer closed", heard=True),
    "an error at once": Fault(
        lambda: faults.error_midstream(after_chunks=0), "The server had an error."
    ),
    "an error": Fault(faults.error_midstream, "The server had an error.", heard=True),
    "silence": Fault(
        faults.stall, "the server went silent (LONGHAUL_REQUEST_TIMEOUT)", TWICE, kind="stalls"
    ),
    "silence in the middle": Fault(
        faults.stall_midstream,
        "the server went silent (LONGHAUL_REQUEST_TIMEOUT)",
        heard=True,
        kind="stalls",
    ),
}
