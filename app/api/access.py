"""Which conversation and which user a request is about."""

from app.api.operations import Call, Refused
from app.api.views import state_of
from app.names import thread_id
from memory.ownership import owner_by_rows
from state.session import SessionState


async def thread_of(call: Call) -> tuple[str, SessionState]:
    """The id and the state of the conversation that a request names. Raises Refused."""
    thread = thread_id(call.path["thread"])
    state = await state_of(call.opened, thread)
    if state is None or not await _may_see(call, thread, state):
        raise Refused(404, "nothing was said in this conversation", "thread")
    return thread, state


def user_of(call: Call) -> str:
    """Whose profile a request is about: the signed-in user's, else the one that it names."""
    user = call.signed_in or str(call.query["user"])
    if not user:
        raise Refused(400, "nobody signs in to this server: name the user", "user")
    return user


async def _may_see(call: Call, thread: str, state: SessionState) -> bool:
    if not call.opened.parts.settings().signs_in:
        return True
    owner = await owner_by_rows(call.opened.database.store, thread, state)
    return bool(owner) and owner == call.signed_in
