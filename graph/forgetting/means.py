"""What a forgetting works with."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from graph.build import utc_now
from graph.database import Database
from memory.forgettings import Intent

if TYPE_CHECKING:
    from langgraph_sdk.client import LangGraphClient

    from memory.indexing import Indexer


class FactUnknownError(LookupError):
    """There is no such fact. The text names the thread and the id."""


class ForgettingRefusedError(RuntimeError):
    """It cannot be forgotten now; nothing was changed. The text says what has to be done first."""


@dataclass(frozen=True, kw_only=True)
class Means:
    """The stores, and the server whose records of runs and threads are to go, too."""

    database: Database
    indexer: "Indexer | None" = None
    """The vectors; None where there are none."""
    server: "LangGraphClient | None" = None
    """LangGraph Server's own API, as its owner or the thread's; None where there is no server."""
    clock: Callable[[], datetime] = utc_now

    def may_end(self, intent: Intent) -> bool:
        """Whether nothing of `intent` is out of reach."""
        return self.server is not None or not intent["server"]

    @property
    def now(self) -> str:
        """The time: ISO 8601."""
        return self.clock().isoformat()
