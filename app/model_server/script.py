"""Which step answers which request."""

import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeAlias

from app.model_server.chat import ChatRequest
from app.model_server.steps import Step

Answer: TypeAlias = Callable[[ChatRequest], Step]
Predicate: TypeAlias = Callable[[ChatRequest], bool]


class ScriptExhaustedError(Exception):
    """The script holds no step for this request."""


class Lane:
    """Steps for the requests of one role, or a function that makes a step for each of them."""

    def __init__(
        self,
        steps: Iterable[Step] | Answer,
        *,
        model: str | None = None,
        when: Predicate | None = None,
    ) -> None:
        self._answer = steps if callable(steps) else None
        self._steps = deque[Step]() if callable(steps) else deque(steps)
        self._model = model
        self._when = when
        self._lock = threading.Lock()

    def add(self, *steps: Step) -> None:
        """Put steps at the end, from any thread."""
        if self._answer is not None:
            raise ValueError("a function answers in this lane: it takes no steps")
        with self._lock:
            self._steps.extend(steps)

    def matches(self, request: ChatRequest) -> bool:
        """Whether this lane answers the request."""
        return self._model in {None, request.model} and (self._when is None or self._when(request))

    def next(self, request: ChatRequest) -> Step:
        """Take the step for this request; `ScriptExhaustedError` if none is left."""
        if self._answer is not None:
            return self._answer(request)
        with self._lock:
            if not self._steps:
                raise ScriptExhaustedError(
                    f"the script ran out of steps for model {request.model!r}"
                )
            return self._steps.popleft()

    def unused(self) -> list[Step]:
        """List the steps that no request has asked for yet."""
        with self._lock:
            return list(self._steps)


class Script:
    """Lanes, tried in order: the first that matches a request answers it, or has run out.

    Steps or a function given bare make a lane that matches every request, and `add` appends to one
    such lane behind all others:

        Script([text("Hello."), faults.rate_limited(), text("Here I am again.")])
        Script(Lane([text("A summary.")], model="summariser"), Lane(lambda request: text("Hm.")))
    """

    def __init__(self, *lanes: Lane | Iterable[Step] | Answer) -> None:
        given = [each if isinstance(each, Lane) else Lane(each) for each in lanes]
        self._rest = Lane([])
        self._lanes = [*given, self._rest]
        if len(given) == 1 and not isinstance(lanes[0], Lane) and not callable(lanes[0]):
            self._rest = given[0]

    def add(self, *steps: Step) -> None:
        """Put steps behind those of the lane that matches every request, from any thread."""
        self._rest.add(*steps)

    def next(self, request: ChatRequest) -> Step:
        """Take the step for this request; `ScriptExhaustedError` if none is left."""
        return next(lane for lane in self._lanes if lane.matches(request)).next(request)

    def unused(self) -> list[Step]:
        """List the steps that no request has asked for yet."""
        return [step for lane in self._lanes for step in lane.unused()]
