"""The first node of a turn: upgrades an older thread, numbers the turn and dates it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from state.admission import AT
from state.exchanges import group
from state.session import SessionState, SessionUpdate
from state.upgrade import upgrade


@dataclass(frozen=True, kw_only=True)
class LoadMemory:
    """Node `load_memory`."""

    clock: Callable[[], datetime]

    async def __call__(self, state: SessionState) -> SessionUpdate:
        """The newest exchange's number and time, counted from the window: it can run twice."""
        exchanges = group(state["messages"])
        said = exchanges[-1].asked[0].additional_kwargs.get(AT) or self.clock().isoformat()
        return upgrade(state) | SessionUpdate(turn=len(exchanges), at=said)
