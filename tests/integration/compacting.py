"""A process that talks until a compaction is due, and then waits for somebody to kill it."""

import asyncio
import sys

from tests.integration.talking import process, settings


async def main(url: str, base_url: str) -> None:
    async with process(url, settings(base_url)) as one:
        while not one.parts.background._running:
            await one.say()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
