"""The operations under `/memory`: looking, correcting, taking along."""

from app.api import fact_views, views
from app.api.access import fact_of, thread_of, user_of
from app.api.exports import export_thread, export_user
from app.api.models import (
    Changed,
    Count,
    Export,
    NewFact,
    NewValue,
    Overview,
    Profile,
    ThreadExport,
    ThreadFacts,
    TranscriptPage,
    Turn,
)
from app.api.operations import USER, Call, Operation, Query
from graph.correcting import (
    correct_fact,
    correct_in_profile,
    set_fact,
    set_in_profile,
)

_THREAD = "/memory/threads/{thread}"


async def get_overview(call: Call) -> Overview:
    """A conversation's memory at a glance."""
    return await views.overview(call.opened, await thread_of(call))


async def get_facts(call: Call) -> ThreadFacts:
    """Its facts."""
    return await fact_views.thread_facts(call.opened, await thread_of(call))


async def get_transcript(call: Call) -> TranscriptPage:
    """Some of its turns."""
    asked = call.query
    return await views.transcript_page(
        call.opened, await thread_of(call), before=asked["before"], count=asked["count"]
    )


async def post_fact(call: Call) -> Changed:
    """Sets a fact of a conversation."""
    now = await thread_of(call)
    fact = await set_fact(call.opened, now, call.body.kind, call.body.value)
    return Changed(fact=await fact_views.changed(call.opened, now, fact))


async def put_fact(call: Call) -> Changed:
    """Corrects a fact of a conversation."""
    now = await thread_of(call)
    fact = await correct_fact(call.opened, now, fact_of(call), call.body.value)
    return Changed(fact=await fact_views.changed(call.opened, now, fact))


async def get_thread_export(call: Call) -> ThreadExport:
    """All that is kept of a conversation."""
    return await export_thread(call.opened, await thread_of(call))


async def get_profile(call: Call) -> Profile:
    """What every conversation of the user knows."""
    return await fact_views.user_profile(call.opened, user_of(call))


async def post_profile_fact(call: Call) -> Changed:
    """Sets a fact of the profile."""
    user = user_of(call)
    fact = await set_in_profile(call.opened, user, call.body.kind, call.body.value)
    return Changed(fact=await fact_views.in_profile(call.opened, user, fact))


async def put_profile_fact(call: Call) -> Changed:
    """Corrects a fact of the profile."""
    user = user_of(call)
    fact = await correct_in_profile(call.opened, user, fact_of(call), call.body.value)
    return Changed(fact=await fact_views.in_profile(call.opened, user, fact))


async def get_export(call: Call) -> Export:
    """All that is kept of the user."""
    return await export_user(call.opened, user_of(call))


OPERATIONS = (
    Operation(
        method="GET",
        path=_THREAD,
        does=get_overview,
        says="A conversation's memory at a glance",
        gives=Overview,
    ),
    Operation(
        method="GET",
        path=f"{_THREAD}/facts",
        does=get_facts,
        says="The facts of a conversation, with their history",
        gives=ThreadFacts,
    ),
    Operation(
        method="POST",
        path=f"{_THREAD}/facts",
        does=post_fact,
        says="Set a fact by hand",
        takes=NewFact,
        gives=Changed,
    ),
    Operation(
        method="PUT",
        path=f"{_THREAD}/facts/{{fact}}",
        does=put_fact,
        says="Correct a fact by hand: it wins over what was taken from the words so far",
        takes=NewValue,
        gives=Changed,
    ),
    Operation(
        method="GET",
        path=f"{_THREAD}/transcript",
        does=get_transcript,
        says="What was said, a page at a time, the newest page first",
        gives=TranscriptPage,
        queries=(
            Query(
                name="before",
                type=Turn,
                default=0,
                says="Show the turns before this one; 0: the newest.",
            ),
            Query(name="count", type=Count, default=20, says="How many turns."),
        ),
    ),
    Operation(
        method="GET",
        path=f"{_THREAD}/export",
        does=get_thread_export,
        says="All that is kept of a conversation, to take along",
        gives=ThreadExport,
    ),
    Operation(
        method="GET",
        path="/memory/profile",
        does=get_profile,
        says="What every conversation of the user knows",
        gives=Profile,
        queries=(USER,),
    ),
    Operation(
        method="POST",
        path="/memory/profile",
        does=post_profile_fact,
        says="Set a fact that every conversation of the user knows",
        takes=NewFact,
        gives=Changed,
        queries=(USER,),
    ),
    Operation(
        method="PUT",
        path="/memory/profile/{fact}",
        does=put_profile_fact,
        says="Correct a fact of the profile",
        takes=NewValue,
        gives=Changed,
        queries=(USER,),
    ),
    Operation(
        method="GET",
        path="/memory/export",
        does=get_export,
        says="All that is kept of the user, to take along",
        gives=Export,
        queries=(USER,),
    ),
)
