"""Opening a thread that an older version wrote."""

from datetime import UTC, datetime

from state.session import SCHEMA_VERSION, SessionState, SessionUpdate


def upgrade(state: SessionState) -> SessionUpdate:
    """The changes that bring `state` to the current layout; none when it is current.

    A thread without `schema_version` that holds messages is version 1.
    """
    version = state.get("schema_version", 1 if "turn" in state else 0)
    if version == SCHEMA_VERSION:
        return {}
    if version > SCHEMA_VERSION:
        raise ValueError(
            f"schema_version {version} of this thread is newer than {SCHEMA_VERSION}: "
            "it was written by a newer release"
        )
    update: SessionUpdate = {"schema_version": SCHEMA_VERSION}
    if (seen := state.get("last_seen")) is not None:
        update["at"] = datetime.fromtimestamp(seen, UTC).isoformat()
        update["last_seen"] = None
    return update
