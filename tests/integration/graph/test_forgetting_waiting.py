"""Forgetting while a thread waits for an answer, and after a process died in the middle of it."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.base import Op, Result

from app.lines import LocalLine
from app.model_server.server import ModelServer
from app.model_server.steps import call, hold, text, tool_calls
from graph.database import Database, open_database
from graph.forgetting import (
    ForgettingRefusedError,
    Means,
    Receipt,
    checkpoints,
    finish_forgetting,
    forget_fact,
    forget_thread,
    forget_user,
)
from memory import handover, names, whole
from memory.forgettings import Intent, begin, unfinished
from state.context import Context
from state.fact_ids import fact_id
from state.redaction import MARK
from tests.integration.canary import in_files, in_tables
from tests.integration.scripted_talk import Plot, open_talk
from tests.integration.server.book import Book
from tests.integration.shop import NUMBER, Shop, open_shop

FIRST = f"My parcel is {NUMBER}."
REFUND = f"Please refund {NUMBER}."
PERSON = "I want to talk to a person."
ORDER = fact_id("order_number", NUMBER)


@pytest.fixture
def book() -> Book:
    book = Book()
    book.write(FIRST, text("I see."))
    refund = tool_calls(call("refund_parcel", {"number": NUMBER}))
    book.write(REFUND, refund, text(f"{NUMBER} is refunded."))
    hand_over = tool_calls(call("hand_over", {"reason": f"They ask for a person about {NUMBER}."}))
    book.write(PERSON, hand_over, text("A colleague takes over."))
    return book


@pytest.fixture
async def shop(postgres_url: str, book: Book) -> AsyncIterator[Shop]:
    with ModelServer(book) as model:
        async with open_shop(postgres_url, model) as opened:
            await opened.say(FIRST)
            yield opened


async def test_while_an_action_waits_for_the_value_it_is_refused(
    shop: Shop, postgres_url: str
) -> None:
    await shop.say(REFUND)
    waiting, means = await shop.waiting(), Means(database=shop.database)
    with pytest.raises(ForgettingRefusedError, match="confirm it or decline it first"):
        await forget_fact(means, shop.thread, ORDER)
    assert await shop.waiting() == waiting
    await shop.resume({"confirmed": True})
    assert len(await shop.done()) == 1
    receipt = await forget_fact(means, shop.thread, ORDER)
    assert not any(receipt["found"].values())
    assert receipt["removed"]["actions"] == 1
    assert in_tables(postgres_url, NUMBER) == []
    assert [m.text for m in await shop.messages()][-1] == f"{MARK} is refunded."


async def test_a_person_who_has_the_thread_goes_on_having_it(shop: Shop, postgres_url: str) -> None:
    await shop.say(PERSON)
    [(asked, before)] = (await shop.waiting()).items()
    receipt = await forget_fact(Means(database=shop.database), shop.thread, ORDER)
    assert not any(receipt["found"].values())
    assert in_tables(postgres_url, NUMBER) == []
    [(still, after)] = (await shop.waiting()).items()
    assert still == asked
    assert after == {
        **before,
        "reason": f"They ask for a person about {MARK}.",
        "facts": [],
        "turns": [{**t, "text": t["text"].replace(NUMBER, MARK)} for t in before["turns"]],
    }
    assert await handover.waiting(shop.database.store) == [(shop.thread, after)]
    await shop.resume({"say": "Ann here."})
    assert (await shop.words())[-1] == "ai: Ann here."


async def test_so_it_is_in_a_file_too(tmp_path: Path, book: Book) -> None:
    with ModelServer(book) as model:
        async with open_shop(f"sqlite:///{tmp_path / 'shop.db'}", model) as shop:
            await shop.say(FIRST)
            await shop.say(PERSON)
            waiting = await shop.waiting()
            receipt = await forget_fact(Means(database=shop.database), shop.thread, ORDER)
            assert receipt["removed"]["writes"] == 1
            assert not any(receipt["found"].values())
            [after] = (await shop.waiting()).values()
            assert (after["facts"], list(await shop.waiting())) == ([], list(waiting))
            await shop.resume({"say": "Ann here."})
            assert (await shop.words())[-1] == "ai: Ann here."
    assert in_files([tmp_path], NUMBER) == []


async def test_a_turn_of_a_terminal_is_waited_for(
    shop: Shop, book: Book, postgres_url: str
) -> None:
    asked = f"And {NUMBER.lower()}?"
    held = hold(text(f"{NUMBER} is on its way."), after_chunks=1)
    book.write(asked, held)
    line = LocalLine(
        graph=shop.graph,
        database=shop.database,
        name=shop.thread,
        context=Context(),
        on_wait=lambda: None,
    )

    async def talk() -> str:
        return "".join([piece async for piece in line.say(asked)])

    talking = asyncio.create_task(talk())
    await held.reached.wait_async(within=30)
    forgetting = asyncio.create_task(forget_fact(Means(database=shop.database), shop.thread, ORDER))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.shield(forgetting), 0.5)
    held.release()
    assert await talking == f"{NUMBER} is on its way."
    assert not any((await forgetting)["found"].values())
    assert in_tables(postgres_url, NUMBER) == []
    assert (await shop.words())[-2:] == [f"human: And {MARK}?", f"ai: {MARK} is on its way."]


class Died(BaseException):
    """The process is gone."""


class Deaths:
    """Lets a process die before the operation after so many."""

    def __init__(self, database: Database, operations: int, patch: pytest.MonkeyPatch) -> None:
        self._left = operations
        batch, rewrite = database.store.abatch, checkpoints.rewrite
        delete = database.saver.adelete_thread

        async def abatch(ops: Iterable[Op]) -> list[Result]:
            self._count()
            return await batch(ops)

        async def rewritten(*given: Any) -> Any:
            self._count()
            return await rewrite(*given)

        async def deleted(thread: str) -> None:
            self._count()
            await delete(thread)

        patch.setattr(database.store, "abatch", abatch)
        patch.setattr(database.saver, "adelete_thread", deleted)
        patch.setattr(checkpoints, "rewrite", rewritten)

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise Died


CANARY = "7719 Quillfeather Lane"
TOLD = f"I live at {CANARY}."
ADDRESS = {"kind": "address", "value": CANARY, "quote": f"live at {CANARY}"}
THREAD, OTHER, USER = "kept", "other", "ann"
FACT = fact_id("address", CANARY)
Forget = Callable[[Means], Awaitable[Receipt]]


async def the_fact(means: Means) -> Receipt:
    return await forget_fact(means, THREAD, FACT)


async def the_thread(means: Means) -> Receipt:
    return await forget_thread(means, THREAD)


async def the_user(means: Means) -> Receipt:
    return await forget_user(means, USER)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file: two conversations of a user, who told the first one something."""
    path = tmp_path_factory.mktemp("told") / "told.db"
    asyncio.run(talked(path))
    return path


async def talked(path: Path) -> None:
    note = {"kind": "happened", "text": f"The customer lives at {CANARY} now.", "turns": [1]}
    plot = Plot(replies={TOLD: f"{CANARY}, I see."}, facts={1: [ADDRESS]}, changes={"add": [note]})
    marks = {"high_mark": "3 turns", "low_mark": "1 turns", "recall": "never"}
    async with open_talk(f"sqlite:///{path}", plot, settings=marks) as talk:
        for words in (TOLD, "Well.", "And so on.", "Bye."):
            await talk.say(words, THREAD, after=timedelta(minutes=1), user=USER)
        await talk.say("Hello", OTHER, after=timedelta(minutes=1), user=USER)
        assert "Quillfeather" in str(await talk.state(THREAD))
        assert "Quillfeather" in str(await talk.state(OTHER))


async def dies(path: Path, forget: Forget, operations: int) -> bool:
    """Whether a process that forgets dies before the operation after so many."""
    async with open_database(f"sqlite:///{path}") as database:
        with pytest.MonkeyPatch.context() as patch:
            Deaths(database, operations, patch)
            try:
                await forget(Means(database=database))
            except Died:
                return True
    return False


@pytest.mark.parametrize("forget", [the_fact, the_user])
async def test_whenever_a_process_dies_the_next_one_ends_what_it_began(
    told: Path, tmp_path: Path, forget: Forget
) -> None:
    operations, path = 0, tmp_path / "copy.db"
    shutil.copy(told, path)
    assert in_files([tmp_path], "Quillfeather") == [str(path)]
    while await dies(path, forget, operations):
        async with open_database(f"sqlite:///{path}") as database:
            means = Means(database=database)
            receipts = await finish_forgetting(means)
            if not receipts:  # it had not begun
                receipts = [await forget(means)]
            assert not any(count for each in receipts for count in each["found"].values())
            assert await whole.items(database.store, names.FORGETTING) == []
        assert in_files([tmp_path], "Quillfeather") == []
        shutil.copy(told, path)
        operations += 1
    assert operations > 15
    assert in_files([tmp_path], "Quillfeather") == []


async def test_what_a_server_has_to_forget_waits_for_the_server(told: Path, tmp_path: Path) -> None:
    path = tmp_path / "copy.db"
    shutil.copy(told, path)
    async with open_database(f"sqlite:///{path}") as database:
        begun = Intent(what="thread", id=THREAD, thread=THREAD, user="", server=True, wanted={})
        await begin(database.store, begun)
        means = Means(database=database)
        assert await finish_forgetting(means) == []
        assert (await the_thread(means))["removed"]["transcript"] == 4
        [still] = await unfinished(database.store)
        assert still["user"] == USER
