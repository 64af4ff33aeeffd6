"""Which conversation, which fact and which user a request is about."""

import re

from app.api.operations import Call, Refused
from app.api.views import state_of
from app.names import thread_id
from graph.correcting import Current, current
from graph.ownership import owns
from state.text import storable_id

UNKNOWN = "nothing was said in this conversation"
"""What is said of another's, too: whether there is one is nobody's business."""


async def thread_of(call: Call) -> Current:
    """The conversation that a request names, as it is now. Raises Refused."""
    thread = await allowed_thread(call)
    state = await state_of(call.opened, thread)
    if state is None:
        raise Refused(404, UNKNOWN, "thread")
    return await current(call.opened, thread, state)


async def allowed_thread(call: Call) -> str:
    """The id of the conversation that a request names, if it may. Raises Refused."""
    thread = thread_id(call.path["thread"])
    if call.opened.parts.settings().signs_in:
        user = call.signed_in
        if not user or not await owns(call.opened.database, thread, user):
            raise Refused(404, UNKNOWN, "thread")
    return thread


def user_of(call: Call) -> str:
    """Whose profile a request is about: the signed-in user's, else the one that it names."""
    user = call.signed_in or str(call.query["user"])
    if not user:
        raise Refused(400, "nobody signs in to this server: name the user", "user")
    if not storable_id(user):
        raise Refused(400, "a user's id is 1 to 200 printable characters", "user")
    return user


def fact_of(call: Call) -> str:
    """The id of the fact that a request names. Raises Refused."""
    fact = call.path["fact"]
    if not re.fullmatch("[0-9a-f]{16}", fact):
        raise Refused(404, "no such fact stands here", "fact")
    return fact
