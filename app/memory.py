"""`longhaul memory`: what is remembered, of a thread or a user: seen, set, taken, forgotten."""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import httpx
import typer
from pydantic import BaseModel
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from app.api.exports import export_thread, export_user
from app.api.fact_views import thread_facts, user_profile
from app.api.models import MemoryFact, Overview
from app.api.views import overview
from app.chat import printable
from app.names import thread_id
from app.own_graph import Thread, state_of_named, with_graph
from graph.correcting import (
    Current,
    ValueRefused,
    correct_fact,
    correct_in_profile,
    current,
    set_fact,
    set_in_profile,
)
from graph.environment import read_settings
from graph.forgetting import (
    FactUnknownError,
    ForgettingRefusedError,
    Means,
    Receipt,
    forget_fact,
    forget_thread,
    forget_user,
)
from graph.resources import Opened
from state.facts import Fact
from state.text import storable_id

memory = typer.Typer(no_args_is_help=True, help="See, set, export and forget what is remembered.")

User = Annotated[str, typer.Option(help="Id of the user.")]
_PATIENCE = 120.0
"""Seconds for a server that forgets."""
_ID = 16
"""Characters of a fact's id."""
_WIDE = 200
"""Columns where nobody looks on."""


@memory.command()
def show(
    thread: Thread = "",
    user: User = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the facts, summary and request of a thread, or what all threads of a user know."""
    _one_of(thread, user)

    async def run(opened: Opened) -> tuple[BaseModel | None, list[MemoryFact]]:
        if user:
            return None, (await user_profile(opened, user)).facts
        now = await _current(opened, thread)
        return await overview(opened, now), (await thread_facts(opened, now)).facts

    seen, facts = with_graph(run)
    if as_json:
        listed = [fact.model_dump() for fact in facts]
        told = seen.model_dump() if seen else {"user": user}
        typer.echo(json.dumps({**told, "facts": listed}, indent=2, ensure_ascii=False))
        return
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _WIDE)
    console.print(_facts(facts) if facts else "nothing is remembered")
    if isinstance(seen, Overview):
        _show_overview(seen, console)


@memory.command("set")
def set_(
    what: Annotated[str, typer.Argument(help="A kind of fact; or the id of one, to correct it.")],
    value: Annotated[str, typer.Argument(help="The value.")],
    thread: Thread = "",
    user: User = "",
) -> None:
    """Set or correct a fact by hand: of a thread, or of all the threads of a user."""
    _one_of(thread, user)

    async def run(opened: Opened) -> Fact:
        by_id = re.fullmatch("[0-9a-f]{16}", what)
        if user:
            change = correct_in_profile if by_id else set_in_profile
            return await change(opened, user, what, value)
        now = await _current(opened, thread)
        return await (correct_fact if by_id else set_fact)(opened, now, what, value)

    try:
        fact = with_graph(run)
    except (FactUnknownError, ValueRefused) as error:
        raise typer.BadParameter(str(error)) from None
    was = f" (before: {fact['was']})" if fact["was"] else ""
    typer.echo(printable(f"{fact['kind']}: {fact['value']}{was}"))


@memory.command()
def export(
    thread: Thread = "",
    user: User = "",
    to: Annotated[str, typer.Option(help="File to write; -: the output.")] = "-",
) -> None:
    """Write all that is kept of a thread or of a user, as JSON."""
    _one_of(thread, user)

    async def run(opened: Opened) -> BaseModel:
        if user:
            return await export_user(opened, user)
        return await export_thread(opened, await _current(opened, thread))

    text = with_graph(run).model_dump_json(indent=2)
    if to == "-":
        typer.echo(text)
        return
    try:
        Path(to).write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise typer.BadParameter(f"{to!r}: {error.strerror}", param_hint="--to") from None
    typer.echo(f"written to {to}")


@memory.command()
def forget(
    thread: Thread = "",
    user: User = "",
    fact: Annotated[str, typer.Option(help="Id of a fact: only that.")] = "",
    server: Annotated[
        str, typer.Option(help="URL of a LangGraph Server, whose own records are to go, too.")
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Forget a fact, a thread or a user: in every store; prints what was removed and checked."""
    if fact and not (thread or user):
        raise typer.BadParameter("a fact is one of a thread or a user: give --thread or --user")
    _one_of(thread, user)
    named = f"user {user!r}" if user else f"thread {thread!r}"
    what = f"fact {fact} of {named}" if fact else f"all of {named}"
    if not yes:
        typer.confirm(f"Forget {what}? This cannot be undone", abort=True)
    try:
        if server:
            receipt = _by_server(server, thread=thread, user=user, fact=fact)
        else:
            receipt = with_graph(lambda opened: _forget(opened, thread, user, fact))
    except (FactUnknownError, ForgettingRefusedError) as error:
        told = str(error).replace(thread_id(thread), thread) if thread else str(error)
        raise typer.BadParameter(told) from None
    _show_receipt(receipt, Console(highlight=False, markup=False))
    if any(receipt["found"].values()):
        raise typer.Exit(1)


async def _forget(opened: Opened, thread: str, user: str, fact: str) -> Receipt:
    means = Means(
        database=opened.database,
        indexer=await opened.parts.index.indexer(),
        clock=opened.parts.clock,
    )
    if fact:
        return await forget_fact(means, thread_id(thread) if thread else "", fact, user=user)
    if user:
        return await forget_user(means, user)
    return await forget_thread(means, thread_id(thread))


def _by_server(server: str, *, thread: str, user: str, fact: str) -> Receipt:
    token = read_settings().token
    of_user = f"/memory/profile/{fact}" if fact else "/memory/me"
    of_thread = f"/memory/threads/{{}}{f'/facts/{fact}' if fact else ''}"
    path = of_user if user else of_thread.format(thread_id(thread))
    try:
        answer = httpx.delete(
            f"{server.rstrip('/')}{path}",
            params={"user": user} if user else {},
            headers={"Authorization": f"Bearer {token.get_secret_value()}"} if token else {},
            timeout=_PATIENCE,
        )
    except httpx.TransportError as error:
        raise typer.BadParameter(f"{server!r}: {error}", param_hint="--server") from None
    if answer.is_error:
        raise typer.BadParameter(f"the server says {answer.status_code}: {answer.text[:200]}")
    receipt: Receipt = answer.json()
    return receipt


async def _current(opened: Opened, name: str) -> Current:
    return await current(opened, thread_id(name), await state_of_named(opened, name))


def _one_of(thread: str, user: str) -> None:
    if bool(thread) == bool(user):
        raise typer.BadParameter("give one of --thread NAME and --user ID")
    if user and not storable_id(user):
        raise typer.BadParameter(
            f"{user!r:.80}: a user's id is 1 to 200 printable characters", param_hint="--user"
        )


def _facts(facts: Sequence[MemoryFact]) -> Table:
    # An id and a kind are typed again: they are never cut short.
    longest = max(len(fact.kind) for fact in facts)
    table = Table(
        Column("id", no_wrap=True, min_width=_ID),
        Column("kind", no_wrap=True, min_width=longest),
        *("value", "before", "turn", "said", "where"),
    )
    for fact in facts:
        cells = (fact.id, fact.kind, fact.value, fact.was, str(fact.turn), fact.said, fact.where)
        table.add_row(*(Text(printable(cell)) for cell in cells))
    return table


def _show_overview(seen: Overview, console: Console) -> None:
    summary, request = seen.summary, seen.request
    if summary.items:
        table = Table("kind", "turns", "text", title=f"Summary of turns 1 to {summary.through}")
        for item in summary.items:
            turns = ", ".join(map(str, item.turns))
            table.add_row(item.kind, turns, Text(printable(item.text)))
        console.print(table)
    layers = ", ".join(f"{name} {tokens:,}" for name, tokens in request.layers.items() if tokens)
    console.print(Text(f"turn {seen.turn}; turns from {seen.window_from} on are sent verbatim"))
    console.print(
        Text(f"tokens of a request now: {request.tokens:,} of {request.limit:,}: {layers}")
    )


def _show_receipt(receipt: Receipt, console: Console) -> None:
    removed = ", ".join(f"{place} {count}" for place, count in receipt["removed"].items())
    found = ", ".join(f"{store} {count}" for store, count in receipt["found"].items())
    console.print(f"removed: {removed or 'nothing'}")
    console.print(f"still found afterwards: {found or 'nothing was looked through'}")
    for title, lines in (("waits", receipt["waits"]), ("left", receipt["left"])):
        for line in lines:
            console.print(f"{title}: {printable(line)}")
