"""Whose conversation a run is part of."""

from langgraph.runtime import Runtime

from state.context import Context
from state.identity import Owner, resolve_owner


def run_owner(runtime: Runtime[Context], thread: str) -> Owner:
    """The signed-in user of the server, else the Context's, else the thread itself."""
    server = runtime.server_info
    user = server.user if server is not None else None
    signed_in = user.identity if user is not None else None
    return resolve_owner(signed_in=signed_in, named=runtime.context.user, thread=thread)
