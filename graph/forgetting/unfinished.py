"""Taking up what a process that died has begun to forget."""

from graph.forgetting.fact import forget_fact
from graph.forgetting.means import Means
from graph.forgetting.receipt import Receipt
from graph.forgetting.thread import forget_thread
from graph.forgetting.user import forget_user
from memory.forgettings import Intent, unfinished


async def finish_forgetting(means: Means) -> list[Receipt]:
    """Does again what has begun and was not found to be done. Raises as forgetting a fact does."""
    return [await _again(means, intent) for intent in await unfinished(means.database.store)]


async def _again(means: Means, intent: Intent) -> Receipt:
    match intent["what"]:
        case "fact":
            return await forget_fact(means, intent["thread"], intent["id"])
        case "thread":
            return await forget_thread(means, intent["thread"])
        case "user":
            return await forget_user(means, intent["user"])
