"""The operations under `/memory`."""

from app.api import fact_views, views
from app.api.access import thread_of
from app.api.models import Count, Overview, ThreadFacts, TranscriptPage, Turn
from app.api.operations import Call, Operation, Query

_THREAD = "/memory/threads/{thread}"


async def get_overview(call: Call) -> Overview:
    """A conversation's memory at a glance."""
    return await views.overview(call.opened, *await thread_of(call))


async def get_facts(call: Call) -> ThreadFacts:
    """Its facts."""
    return await fact_views.thread_facts(call.opened, *await thread_of(call))


async def get_transcript(call: Call) -> TranscriptPage:
    """Some of its turns."""
    thread, state = await thread_of(call)
    asked = call.query
    return await views.transcript_page(
        call.opened, thread, state, before=asked["before"], count=asked["count"]
    )


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
)
