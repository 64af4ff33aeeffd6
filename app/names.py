"""Thread names that people can type, and the ids that stand for them everywhere."""

import secrets
from uuid import UUID, uuid5

from state.errors import InputRefused
from state.text import storable_id

_NAMESPACE = UUID("5c9b1c57-0b53-4f0b-8f0e-5d1f3c6a7e21")


def new_name() -> str:
    """A name for a new thread, such as chat-3f9a1c2e."""
    return f"chat-{secrets.token_hex(4)}"


def thread_id(name: str) -> str:
    """The id of the thread with this name: the same in the terminal and on every server.

    A UUID is its own id. Raises InputRefused for a name that cannot be kept.
    """
    if not storable_id(name):
        raise InputRefused(
            f"thread name {name!r:.80} cannot be kept: 1 to 200 printable characters"
        )
    try:
        return str(UUID(name))
    except ValueError:
        return str(uuid5(_NAMESPACE, name))
