"""Which conversation and which user a request is about."""

from app.api.operations import Call, Refused
from app.api.views import state_of
from app.names import thread_id
from graph.correcting import Current, current


async def thread_of(call: Call) -> Current:
    """The conversation that a request names, as it is now. Raises Refused."""
    thread = thread_id(call.path["thread"])
    state = await state_of(call.opened, thread)
    if state is not None:
        now = await current(call.opened, thread, state)
        if not call.opened.parts.settings().signs_in or (now.user and now.user == call.signed_in):
            return now
    raise Refused(404, "nothing was said in this conversation", "thread")


def user_of(call: Call) -> str:
    """Whose profile a request is about: the signed-in user's, else the one that it names."""
    user = call.signed_in or str(call.query["user"])
    if not user:
        raise Refused(400, "nobody signs in to this server: name the user", "user")
    return user
