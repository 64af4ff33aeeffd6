"""Reading what happened to the memory of threads."""

from datetime import datetime, timedelta

from langgraph.store.base import BaseStore

from memory import names, whole
from state.review import Entry, of_compaction, of_fact


async def entries(store: BaseStore, thread: str, since: datetime) -> list[Entry]:
    """The log of `thread` from `since` on, in order of time and turn."""
    # The store compares text, by rules of its own: it is asked for a day more.
    recent = {"at": {"$gte": (since - timedelta(days=1)).date().isoformat()}}
    facts = await whole.items(store, names.fact_log(thread), filter=recent)
    folds = await whole.items(store, names.log(thread), filter=recent)
    found = [of_fact(thread, item.value) for item in facts]
    found += [each for item in folds for each in of_compaction(thread, item.value)]
    found = [each for each in found if datetime.fromisoformat(each.at) >= since]
    return sorted(found, key=lambda each: (each.at, each.turn))


def monday(now: datetime, weeks: int) -> datetime:
    """The beginning of the ISO week in which the last `weeks` weeks, this one too, begin."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return today - timedelta(days=today.weekday(), weeks=weeks - 1)
