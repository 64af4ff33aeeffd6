"""Taking up what a process that died has begun to forget."""

import logging

from graph.forgetting.fact import forget_fact
from graph.forgetting.means import ForgettingRefusedError, Means
from graph.forgetting.receipt import Receipt
from graph.forgetting.thread import forget_thread
from graph.forgetting.user import forget_user
from memory.forgettings import Intent, unfinished

log = logging.getLogger(__name__)


async def finish_forgetting(means: Means) -> list[Receipt]:
    """Does again what has begun and was not found to be done; what is refused now, another time."""
    receipts: list[Receipt] = []
    for intent in filter(means.may_end, await unfinished(means.database.store)):
        try:
            receipts.append(await _again(means, intent))
        except ForgettingRefusedError as error:
            log.warning("not forgotten yet: %s", error)
    return receipts


async def _again(means: Means, intent: Intent) -> Receipt:
    match intent["what"]:
        case "fact":
            return await forget_fact(means, intent["thread"], intent["id"])
        case "thread":
            return await forget_thread(means, intent["thread"])
        case "user":
            return await forget_user(means, intent["user"])
