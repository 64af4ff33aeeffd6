"""The operations under `/memory` that forget: each gives a receipt."""

import asyncio

from langgraph_sdk import get_client
from pydantic import BaseModel, Field

from app.api.access import allowed_thread, fact_of, user_of
from app.api.operations import USER, Call, Operation, Refused
from graph.forgetting import (
    ForgettingRefusedError,
    Means,
    finish_forgetting,
    forget_fact,
    forget_thread,
    forget_user,
)
from graph.forgetting.receipt import What
from graph.resources import Opened
from memory.forgettings import unfinished
from memory.ownership import owner_of_thread

_BREATH_SECONDS = 2.0
"""In which a server that starts comes to answer itself."""
_THREAD = "/memory/threads/{thread}"


class ReceiptView(BaseModel):
    """What was removed from where, and what a check afterwards found. It holds no words."""

    what: What
    id: str = Field(description="Of the fact, the conversation or the user.")
    threads: list[str] = Field(description="The conversations that were gone through.")
    at: str
    removed: dict[str, int] = Field(description="By place: how many things that held it are gone.")
    found: dict[str, int] = Field(description="By store, how many still hold it: 0 each.")
    waits: list[str] = Field(description="What could not be reached, and will be done later.")
    left: list[str] = Field(description="Where copies may be that this does not reach.")


async def delete_fact(call: Call) -> ReceiptView:
    """Forgets a fact of a conversation, and of the profile if it came from there."""
    thread, fact = await allowed_thread(call), fact_of(call)
    user = await owner_of_thread(call.opened.database.store, thread)
    try:
        receipt = await forget_fact(await means(call.opened), thread, fact, user=user)
    except ForgettingRefusedError as error:
        raise Refused(409, str(error)) from None
    return ReceiptView(**receipt)


async def delete_profile_fact(call: Call) -> ReceiptView:
    """Forgets a fact that every conversation of the user knows."""
    user, fact = user_of(call), fact_of(call)
    try:
        receipt = await forget_fact(await means(call.opened), "", fact, user=user)
    except ForgettingRefusedError as error:
        raise Refused(409, str(error)) from None
    return ReceiptView(**receipt)


async def delete_thread(call: Call) -> ReceiptView:
    """Forgets a conversation."""
    thread = await allowed_thread(call)
    return ReceiptView(**await forget_thread(await means(call.opened), thread))


async def delete_user(call: Call) -> ReceiptView:
    """Forgets the user: every conversation, and what outlives them."""
    return ReceiptView(**await forget_user(await means(call.opened), user_of(call)))


async def take_up(opened: Opened) -> None:
    """Ends what a process that died has begun to forget."""
    if await unfinished(opened.database.store):
        await asyncio.sleep(_BREATH_SECONDS)
        await finish_forgetting(await means(opened))


async def means(opened: Opened) -> Means:
    """What a forgetting works with inside the server: its own client asks for no token."""
    indexer = await opened.parts.index.indexer()
    return Means(
        database=opened.database,
        indexer=indexer,
        server=get_client(url=None),
        clock=opened.parts.clock,
    )


FORGETTING = (
    Operation(
        method="DELETE",
        path=f"{_THREAD}/facts/{{fact}}",
        does=delete_fact,
        says="Forget a fact: in the conversation, its summary, its words and the profile",
        gives=ReceiptView,
        refuses=(400, 401, 403, 404, 409),
    ),
    Operation(
        method="DELETE",
        path="/memory/profile/{fact}",
        does=delete_profile_fact,
        says="Forget a fact of the profile, in every conversation that knows it",
        gives=ReceiptView,
        queries=(USER,),
        refuses=(400, 401, 403, 404, 409),
    ),
    Operation(
        method="DELETE",
        path=_THREAD,
        does=delete_thread,
        says="Forget a conversation; safe to repeat",
        gives=ReceiptView,
    ),
    Operation(
        method="DELETE",
        path="/memory/me",
        does=delete_user,
        says="Forget the user: every conversation, and what outlives them; safe to repeat",
        gives=ReceiptView,
        queries=(USER,),
    ),
)
