"""The command of a person who takes threads: what waits, and talking in one of them."""

import sys
from collections.abc import AsyncIterator
from typing import Annotated, Any

import typer
from anyio.from_thread import BlockingPortal, start_blocking_portal
from rich.console import Console

from app.chat import printable
from app.lines import Line
from app.names import thread_id
from app.open_line import open_line
from graph.environment import read_settings
from graph.resources import database_source
from graph.shared_database import source_database
from memory.handover import waiting
from state.context import Context
from state.fact_budget import fact_line
from state.handover import Packet, Turn

HELP = "what you type is said to the customer; Enter looks for news, /done gives the thread back"


def handover(
    thread: Annotated[str, typer.Option(help="Name or id of the thread; none: list them.")] = "",
    server: Annotated[str, typer.Option(help="URL of a LangGraph Server; none: no server.")] = "",
) -> None:
    """Show the threads that wait for a person; take one, and talk in it."""
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    with start_blocking_portal() as portal:
        if not thread:
            waits = portal.call(_list)
            if not waits:
                console.print("no conversation waits for a person")
            for each, packet in waits:
                console.print(f"{each}  turn {packet['turn']}  {printable(packet['reason'])}")
            return
        thread_id(thread)
        opened = open_line(server, thread, Context(), read_settings())
        with portal.wrap_async_context_manager(opened) as line:
            Desk(portal, line, console).talk()


async def _list() -> list[tuple[str, Packet]]:
    async with source_database(database_source(read_settings())) as database:
        return await waiting(database.store)


class Desk:
    """Shows a packet, then says each typed line in its thread."""

    def __init__(self, portal: BlockingPortal, line: Line, console: Console) -> None:
        self._portal = portal
        self._line = line
        self._console = console
        self._shown: list[Turn] = []

    def talk(self) -> None:
        """Reads lines until the thread is given back or the input ends."""
        found = self._look()
        if found is None:
            self._console.print("no person has this thread")
            return
        self._show_packet(found[1])
        for typed in sys.stdin:
            text = typed.strip()
            if text == "/done":
                self._portal.call(self._resume, found[0], {"done": True})
                self._console.print("the bot has the thread again", style="dim")
                return
            if text:
                self._portal.call(self._resume, found[0], {"say": text})
            if (found := self._look()) is None:
                self._console.print("no person has this thread any more")
                return
            self._show_turns(found[1])

    def _look(self) -> tuple[str, Packet] | None:
        return self._portal.call(self._waiting)

    async def _waiting(self) -> tuple[str, Packet] | None:
        standing = await self._line.standing()
        if standing.held and standing.packet is None:
            await _drain(self._line.answer())
            standing = await self._line.standing()
        return standing.packet

    async def _resume(self, waits: str, answer: dict[str, Any]) -> None:
        await _drain(self._line.resume(waits, answer))

    def _show_packet(self, packet: Packet) -> None:
        self._console.print(f"why: {printable(packet['reason'])}", style="bold")
        for line in [fact_line(fact) for fact in packet["facts"]]:
            self._console.print(printable(line))
        for thread in packet["open"]:
            self._console.print(f"- open: {printable(thread)}")
        self._show_turns(packet)
        self._console.print(HELP, style="dim")

    def _show_turns(self, packet: Packet) -> None:
        for turn in packet["turns"]:
            if turn not in self._shown:
                self._console.print(f"{turn['by']}> {printable(turn['text'])}")
        self._shown = packet["turns"]


async def _drain(pieces: AsyncIterator[str]) -> None:
    async for _ in pieces:
        pass
