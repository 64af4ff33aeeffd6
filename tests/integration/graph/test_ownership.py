"""Whose a thread is: a user's, a copy's original's, nobody's, or not begun."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from graph.ownership import may_use, owns
from memory.ownership import owner_of_thread, threads_of
from tests.integration.scripted_talk import Plot, new_thread, open_talk

MINUTE = timedelta(minutes=1)


async def test_whose_a_thread_is(tmp_path: Path) -> None:
    async with open_talk(f"sqlite:///{tmp_path / 'threads.db'}", Plot()) as talk:
        store, database = talk.database.store, talk.database
        anns, nobodys, fresh, copy = (new_thread() for _ in range(4))
        await talk.say("Hello!", anns, after=MINUTE, user="ann")
        await talk.say("Hello!", nobodys, after=MINUTE)
        await talk.say("Hello!", nobodys, after=MINUTE, user="ann")
        await database.saver.acopy_thread(anns, copy)

        async def said(user: str) -> list[bool]:
            threads = (anns, copy, nobodys, fresh)
            return [await may_use(database, thread, user) for thread in threads]

        assert await said("ann") == [True, True, False, True]
        assert await said("bob") == [False, False, False, True]
        assert [await owns(database, each, "ann") for each in (anns, copy, fresh)] == [
            True,
            True,
            False,
        ]
        assert await threads_of(store, "ann") == [anns]

        await talk.say("And here?", copy, after=MINUTE, user="ann")
        assert await owner_of_thread(store, copy) == "ann"
        assert await threads_of(store, "ann") == sorted([anns, copy])
        await talk.say("It's me, Bob.", anns, after=MINUTE, user="bob")
        assert await owner_of_thread(store, anns) == "ann"
        values: dict[str, Any] = await talk.state(anns)
        assert values["turn"] == 2
