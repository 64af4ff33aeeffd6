"""What was asked of the server, and what was wrong with it."""

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias

from app.model_server.chat import ChatRequest
from app.model_server.signals import Signal

Endpoint: TypeAlias = Literal["chat", "embeddings"]

SECRET_HEADERS = frozenset(
    {"authorization", "proxy-authorization", "api-key", "x-api-key", "cookie", "set-cookie"}
)


@dataclass(kw_only=True, eq=False)
class RecordedRequest:
    """One request, and how far its answer got."""

    number: int
    """Counts from 1, for each endpoint by itself."""
    endpoint: Endpoint
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    """Names in lower case, without those that carry secrets."""
    at: float
    """When it came, in seconds since 1970."""
    violations: list[str] = field(default_factory=list)
    chunks_sent: int = 0
    """Pieces of a stream (words, parts of arguments) that have been sent."""
    disconnected: bool = False
    """Whether the client left before its answer was complete."""
    first_chunk: Signal = field(default_factory=lambda: Signal("the first chunk was sent"))
    finished: Signal = field(default_factory=lambda: Signal("the request came to its end"))

    @cached_property
    def chat(self) -> ChatRequest:
        """The request as one for chat."""
        return ChatRequest(self.body)

    @property
    def messages(self) -> list[Mapping[str, Any]]:
        """The messages of a chat request, oldest first."""
        return self.chat.messages


Wanted: TypeAlias = Callable[[RecordedRequest], bool]


class Recorder:
    """Requests in the order they came; written by the server's thread, read by any.

    `keep` bounds how many requests of an endpoint are kept; None keeps all.
    """

    def __init__(self, *, keep: int | None = None) -> None:
        self._changed = threading.Condition()
        self._requests: dict[Endpoint, deque[RecordedRequest]] = {
            "chat": deque(maxlen=keep),
            "embeddings": deque(maxlen=keep),
        }
        self._counts: dict[Endpoint, int] = {"chat": 0, "embeddings": 0}
        self._problems: list[str] = []

    def add(
        self, endpoint: Endpoint, body: Mapping[str, Any], headers: Mapping[str, str], at: float
    ) -> RecordedRequest:
        """Record a request as it comes in."""
        public = {name: value for name, value in headers.items() if name not in SECRET_HEADERS}
        with self._changed:
            self._counts[endpoint] += 1
            request = RecordedRequest(
                number=self._counts[endpoint], endpoint=endpoint, body=body, headers=public, at=at
            )
            self._requests[endpoint].append(request)
            self._changed.notify_all()
        return request

    def blame(self, problem: str) -> None:
        """Record what must fail the test."""
        with self._changed:
            self._problems.append(problem)

    def requests(self, endpoint: Endpoint) -> list[RecordedRequest]:
        """List the requests kept, oldest first."""
        with self._changed:
            return list(self._requests[endpoint])

    @property
    def problems(self) -> list[str]:
        """What must fail the test."""
        with self._changed:
            return list(self._problems)

    def wait_for(self, n: int, wanted: Wanted, within: float) -> RecordedRequest:
        """Block until the n-th of the wanted chat requests has come; else `TimeoutError`."""

        def found() -> list[RecordedRequest]:
            return [request for request in self._requests["chat"] if wanted(request)][n - 1 : n]

        with self._changed:
            if not self._changed.wait_for(found, within):
                came = len(self._requests["chat"])
                raise TimeoutError(
                    f"request {n} did not come within {within:g} seconds; {came} came in all; "
                    f"problems: {self._problems}"
                )
            return found()[0]
