"""All that is kept of a conversation or a user, to take along."""

from typing import cast

from langgraph.store.base import SearchItem

from app.api.fact_views import thread_facts, user_profile
from app.api.models import Export, ThreadExport
from app.api.views import as_said, overview, state_of
from graph.correcting import Current, current
from graph.resources import Opened
from memory import names, whole
from memory.facts import read_log
from memory.ownership import threads_of
from memory.transcript import Row, read_page

_PAGE = 200
_SHOWN = frozenset({"transcript", "fact-log", "images", "facts"})
"""Places of the store that an export shows in their own form."""
_OF_NO_MEANING = frozenset({"fact-words", "leases"})
"""An index, and who is at work."""


async def export_thread(opened: Opened, now: Current) -> ThreadExport:
    """A conversation: its words, its facts and what happened to them, its summary, its images."""
    store = opened.database.store
    places: dict[str, list[SearchItem]] = {}
    for item in await whole.items(store, names.thread(now.thread)):
        places.setdefault(item.namespace[len(names.THREADS) + 1], []).append(item)
    rows = await _rows(opened, now)
    ids = [row["ids"] for row in rows]
    every = [cast("Row", item.value) for item in places.get("transcript", [])]
    return ThreadExport(
        thread=now.thread,
        overview=await overview(opened, now),
        facts=(await thread_facts(opened, now)).facts,
        log=await read_log(store, now.thread),
        transcript=[as_said(row) for row in rows],
        edited=[as_said(row) for row in every if row["ids"] not in ids],
        images={item.key: str(item.value["url"]) for item in places.get("images", [])},
        more={
            place: [item.value for item in items]
            for place, items in sorted(places.items())
            if place not in _SHOWN | _OF_NO_MEANING
        },
    )


async def export_user(opened: Opened, user: str) -> Export:
    """Every conversation of `user`, and what outlives them."""
    threads: list[ThreadExport] = []
    for thread in await threads_of(opened.database.store, user):
        state = await state_of(opened, thread)
        if state is not None:
            threads.append(await export_thread(opened, await current(opened, thread, state)))
    return Export(
        exported_at=opened.parts.clock().isoformat(),
        user=user,
        profile=(await user_profile(opened, user)).facts,
        threads=threads,
    )


async def _rows(opened: Opened, now: Current) -> list[Row]:
    """The whole transcript of the conversation as it is, oldest first."""
    found: list[Row] = []
    through = now.state.get("archived_through", 0)
    while through > 0:
        rows = await read_page(
            opened.database.store, now.state.get("transcript"), through=through, count=_PAGE
        )
        if not rows:
            break
        found = [*rows, *found]
        through = rows[0]["turn"] - 1
    return found
