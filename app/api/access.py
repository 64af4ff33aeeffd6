"""Which conversation and which user a request is about."""

from app.api.operations import Call, Refused
from app.api.views import state_of
from app.names import thread_id
from state.session import SessionState


async def thread_of(call: Call) -> tuple[str, SessionState]:
    """The id and the state of the conversation that a request names. Raises Refused."""
    thread = thread_id(call.path["thread"])
    state = await state_of(call.opened, thread)
    if state is None:
        raise Refused(404, "nothing was said in this conversation", "thread")
    return thread, state
