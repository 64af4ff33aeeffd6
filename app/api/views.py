"""What a conversation's memory looks like: read from its state and the store."""

import asyncio
from collections.abc import Iterable
from datetime import datetime
from typing import Any, cast

from app.api.models import (
    ExchangeView,
    Item,
    Overview,
    PassageView,
    PinnedWords,
    RecalledView,
    RequestView,
    SummaryView,
    ToolUse,
    TranscriptPage,
    TurnTokens,
    Words,
)
from graph.build import Parts
from graph.correcting import Current
from graph.resources import Opened
from memory.transcript import Row, counted, read_page
from prompts.files import system_prompt
from prompts.request import lay_out
from state.exchanges import group
from state.fact_budget import unseen
from state.session import SessionState
from state.summary import EMPTY


async def state_of(opened: Opened, thread: str) -> SessionState | None:
    """The newest state of `thread`; None when nothing was said in it."""
    config: Any = {"configurable": {"thread_id": thread}}
    values = (await opened.graph.aget_state(config)).values
    return cast("SessionState", values) if values.get("turn") else None


async def overview(opened: Opened, now: Current) -> Overview:
    """A conversation's memory at a glance."""
    thread, state = now.thread, now.state
    summary, recalled = state.get("summary", EMPTY), state.get("recalled")
    return Overview(
        thread=thread,
        turn=state["turn"],
        at=state["at"],
        memory_version=state.get("memory_version", 0),
        extracted_through=state.get("extracted_through", 0),
        archived_through=state.get("archived_through", 0),
        window_from=summary["through"] + 1,
        summary=SummaryView(
            through=summary["through"],
            items=[Item(**item) for item in summary["items"]],
            pins=[PinnedWords(**pin) for pin in summary["pins"]],
        ),
        request=await asyncio.to_thread(_request, opened.parts, state),
        tokens=list(_tokens(state)),
        recalled=RecalledView(
            searched=recalled["searched"],
            reason=recalled["reason"],
            passages=[_passage(each) for each in recalled["passages"]],
            trouble=recalled["trouble"],
        )
        if recalled
        else None,
    )


async def transcript_page(
    opened: Opened, now: Current, *, before: int, count: int
) -> TranscriptPage:
    """The `count` turns before turn `before`; 0: the newest."""
    state = now.state
    last = (before or state.get("archived_through", 0) + 1) - 1
    trail = state.get("transcript")
    rows = await read_page(opened.database.store, trail, through=last, count=count)
    first = rows[0]["turn"] if rows else 1
    return TranscriptPage(
        thread=now.thread,
        exchanges=[as_said(row) for row in rows],
        before=first if first > 1 else 0,
    )


def as_said(row: Row) -> ExchangeView:
    """A row of the transcript as its owner reads it."""
    results = {m["call"]: m for m in row["messages"] if m["role"] == "tool"}
    return ExchangeView(
        turn=row["turn"],
        at=row["at"],
        tokens=_counted(row),
        words=[_words(m, results) for m in row["messages"] if m["role"] != "tool"],
    )


def _counted(row: Row) -> TurnTokens | None:
    if (told := row.get("tokens")) is None:
        return None
    return TurnTokens(turn=row["turn"], input=told["input"], output=told["output"])


def _words(message: dict[str, Any], results: dict[str, dict[str, Any]]) -> Words:
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return Words(
        id=str(message["id"]),
        role=message["role"],
        by=str(message.get("by", "")),
        text="\n\n".join(_texts(blocks)),
        cut=str(message.get("cut", "")),
        images=sum(block.get("type") == "image_url" for block in blocks),
        tools=[
            ToolUse(
                name=call["name"],
                args=call["args"],
                result="\n".join(_texts_of(results.get(call["id"]))),
            )
            for call in message.get("calls", [])
        ],
    )


def _texts_of(message: dict[str, Any] | None) -> list[str]:
    if message is None:
        return []
    content = message["content"]
    return [content] if isinstance(content, str) else list(_texts(content))


def _texts(blocks: Iterable[dict[str, Any]]) -> Iterable[str]:
    return (str(block["text"]) for block in blocks if block.get("type") == "text")


def _request(parts: Parts, state: SessionState) -> RequestView:
    """What is sent if the newest exchange is answered once more. Reads prompt files."""
    settings, summary = parts.settings(), state.get("summary", EMPTY)
    pinned = state.get("pinned", {})
    laid_out = lay_out(
        system=system_prompt(settings.persona),
        window=state["messages"],
        at=datetime.fromisoformat(state["at"]),
        time_zone=settings.time_zone,
        budget=parts.budget(),
        summary=summary,
        facts=pinned,
        late=unseen(state.get("facts", {}), pinned, summary["through"]),
        recalled=state.get("recalled"),
    )
    return RequestView(
        layers=laid_out.layers,
        tokens=sum(laid_out.layers.values()),
        limit=settings.marks.hard,
        left_out=laid_out.left_out,
    )


def _tokens(state: SessionState) -> Iterable[TurnTokens]:
    first = state.get("summary", EMPTY)["through"] + 1
    for turn, exchange in enumerate(group(state["messages"]), first):
        if (told := counted(exchange)) is not None:
            yield TurnTokens(turn=turn, input=told["input"], output=told["output"])


def _passage(passage: Any) -> PassageView:
    return PassageView(**{name: passage[name] for name in PassageView.model_fields})
