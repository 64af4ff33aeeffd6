"""A process that archives two threads: `python -m tests.integration.memory.archiver ...`."""

import asyncio
import sys

from langgraph.store.memory import InMemoryStore

from tests.integration.memory.archive import index, search, talk, words


async def main(url: str, prefix: str, turns: int, own: str, shared: str) -> None:
    """Indexes all of `own` and the first tenth of `shared`, and searches both meanwhile."""
    store = InMemoryStore()
    async with index(url, prefix) as indexer:
        done = asyncio.Event()

        async def searching() -> int:
            searches = 0
            while not done.is_set():
                found = await search(indexer, words(own, 1), own, shared)
                assert {hit.thread for hit in found} <= {own, shared}
                searches += 1
                await asyncio.sleep(0.2)
            return searches

        task = asyncio.create_task(searching())
        await indexer.catch_up(store, await talk(store, own, 1, turns))
        await indexer.catch_up(store, await talk(store, shared, 1, turns // 10))
        done.set()
        print(await task)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]))
