"""All that is kept of a conversation or a user, to take along."""

from app.api.fact_views import thread_facts, user_profile
from app.api.models import ExchangeView, Export, ThreadExport
from app.api.views import as_said, overview, state_of
from graph.correcting import Current, current
from graph.resources import Opened
from memory import names, whole
from memory.facts import read_log
from memory.ownership import threads_of
from memory.transcript import read_page

_PAGE = 200


async def export_thread(opened: Opened, now: Current) -> ThreadExport:
    """A conversation: its words, its facts and what happened to them, its summary, its images."""
    store = opened.database.store
    images = await whole.items(store, names.images(now.thread))
    return ThreadExport(
        thread=now.thread,
        overview=await overview(opened, now),
        facts=(await thread_facts(opened, now)).facts,
        log=await read_log(store, now.thread),
        transcript=await _transcript(opened, now),
        images={item.key: str(item.value["url"]) for item in images},
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


async def _transcript(opened: Opened, now: Current) -> list[ExchangeView]:
    said: list[ExchangeView] = []
    through = now.state.get("archived_through", 0)
    while through > 0:
        rows = await read_page(
            opened.database.store, now.state.get("transcript"), through=through, count=_PAGE
        )
        if not rows:
            break
        said = [*map(as_said, rows), *said]
        through = rows[0]["turn"] - 1
    return said
