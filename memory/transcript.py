"""The raw transcript: a row an exchange, each naming the one before it, so branches stay apart."""

from collections.abc import Iterator, Sequence
from typing import Any, NotRequired, TypedDict, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage
from langgraph.store.base import BaseStore, GetOp, Item, PutOp

from memory import names
from state.actions import CORRECTED
from state.admission import AT
from state.exchanges import Exchange
from state.handover import BY
from state.identity import Owner
from state.replies import CUT
from state.session import RowKey, Trail

BLOCK = 32
"""Rows a block: a reader that wants an early turn jumps from block to block."""


class Counted(TypedDict):
    """What the provider counted for the replies of an exchange, in tokens."""

    input: int
    output: int


class Row(TypedDict):
    """One exchange as it was said."""

    turn: int
    at: str
    ids: list[str]
    messages: list[dict[str, Any]]
    """Each with `role` (user, assistant, tool), `content` and what else the message carries."""
    before: RowKey | None
    block: RowKey | None
    user: NotRequired[str]
    """Who was talking; empty for nobody in particular. Older rows do not say."""
    tokens: NotRequired[Counted]


async def write(
    store: BaseStore,
    thread: str,
    exchanges: Sequence[tuple[int, Exchange]],
    trail: Trail | None,
    *,
    user: str = "",
) -> Trail | None:
    """Writes numbered `exchanges` of `user` after `trail`; the trail that ends with the last.

    The same exchanges after the same trail write the same rows.
    """
    puts: list[PutOp] = []
    for turn, exchange in exchanges:
        row = _row(turn, exchange, trail, user)
        key = names.row_key(turn, row["ids"])
        puts.append(PutOp(names.transcript(thread), key, cast("dict[str, Any]", row), index=False))
        last = RowKey(thread=thread, key=key)
        trail = Trail(last=last, block=last if turn % BLOCK == 0 else row["block"])
    if puts:
        await store.abatch(puts)
    return trail


async def step_back(store: BaseStore, trail: Trail) -> Trail | None:
    """The trail that ends one turn earlier; None before the first."""
    row = await read_row(store, trail["last"])
    if row is None or row["before"] is None:
        return None
    return Trail(last=row["before"], block=row["block"])


async def back_to(store: BaseStore, trail: Trail, turn: int) -> Trail | None:
    """The trail that ends with `turn`, or with the nearest earlier one that there is."""
    at: Trail | None = trail
    while at is not None and turn_of(at["last"]) > turn:
        at = await step_back(store, at)
    return at


async def left_window(
    store: BaseStore, trail: Trail, through: int, oldest: RowKey | None
) -> Trail | None:
    """As `back_to` turn `through`.

    `oldest` is where the window's first exchange is if this thread wrote it: to know saves reads.
    """
    if oldest is not None:
        behind = await step_back(store, Trail(last=oldest, block=None))
        if behind is not None and turn_of(behind["last"]) <= through:
            return behind
    return await back_to(store, trail, through)


def key_of(thread: str, turn: int, exchange: Exchange) -> RowKey:
    """Where `thread` writes the row of `exchange`."""
    return RowKey(thread=thread, key=names.row_key(turn, _ids(exchange)))


async def read_row(store: BaseStore, key: RowKey) -> Row | None:
    """The row at `key`, or None when it was erased."""
    item = await store.aget(names.transcript(key["thread"]), key["key"])
    return cast("Row", item.value) if item else None


def owner_of(key: RowKey, row: Row) -> Owner:
    """Whose the row is: the user's that it names, else the thread's that wrote it."""
    user = row.get("user", "")
    return Owner(kind="user", id=user) if user else Owner(kind="thread", id=key["thread"])


async def read_rows(store: BaseStore, keys: Sequence[RowKey]) -> list[tuple[RowKey, Row]]:
    """The rows at `keys` that are still there, in that order."""
    found = await store.abatch([GetOp(names.transcript(k["thread"]), k["key"]) for k in keys])
    return list(_there(keys, cast("Sequence[Item | None]", found)))


def _there(keys: Sequence[RowKey], found: Sequence[Item | None]) -> Iterator[tuple[RowKey, Row]]:
    for key, item in zip(keys, found, strict=True):
        if item is not None:
            yield key, cast("Row", item.value)


async def read_page(
    store: BaseStore, trail: Trail | None, *, through: int, count: int
) -> list[Row]:
    """The `count` turns that end with turn `through`, oldest first, of the branch of `trail`."""
    rows: list[Row] = []
    key = await _nearest(store, trail, through)
    while key is not None and len(rows) < count:
        row = await read_row(store, key)
        if row is None:
            break
        if row["turn"] <= through:
            rows.append(row)
        key = row["before"]
    return rows[::-1]


async def _nearest(store: BaseStore, trail: Trail | None, turn: int) -> RowKey | None:
    """The row, among the trail's end and its block ends, that is at or least above `turn`."""
    if trail is None:
        return None
    key, block = trail["last"], trail["block"]
    while block is not None and turn_of(block) >= turn and turn_of(key) > turn:
        row = await read_row(store, block)
        if row is None:
            break
        key, block = block, row["block"]
    return key


def as_exchange(row: Row) -> Exchange:
    """The row as messages again, as the summariser reads them."""
    return Exchange(tuple(_message(each, row["at"]) for each in row["messages"]))


def is_row_of(key: RowKey, turn: int, exchange: Exchange) -> bool:
    """Whether the row at `key` holds just this `exchange`, by the ids of its messages."""
    return key["key"] == names.row_key(turn, _ids(exchange))


def turn_of(key: RowKey) -> int:
    """The turn of the row at `key`."""
    return int(key["key"].partition("-")[0])


def counted(exchange: Exchange) -> Counted | None:
    """The tokens of the replies of `exchange`; None where the provider did not count them."""
    replies = (m.usage_metadata for m in exchange.messages if isinstance(m, AIMessage))
    if not (told := [each for each in replies if each]):
        return None
    return Counted(
        input=sum(each["input_tokens"] for each in told),
        output=sum(each["output_tokens"] for each in told),
    )


def _row(turn: int, exchange: Exchange, trail: Trail | None, user: str) -> Row:
    asked = exchange.asked
    row = Row(
        turn=turn,
        at=str(asked[0].additional_kwargs.get(AT, "")) if asked else "",
        ids=_ids(exchange),
        messages=[_plain(m) for m in exchange.messages],
        before=trail["last"] if trail else None,
        block=trail["block"] if trail else None,
        user=user,
    )
    if (tokens := counted(exchange)) is not None:
        row["tokens"] = tokens
    return row


def _ids(exchange: Exchange) -> list[str]:
    return [str(m.id) for m in exchange.messages]


def _plain(message: AnyMessage) -> dict[str, Any]:
    plain: dict[str, Any] = {"id": message.id, "content": message.content}
    match message:
        case HumanMessage():
            return {"role": "user", **plain}
        case ToolMessage():
            named = {"name": message.name, "call": message.tool_call_id}
            return {"role": "tool", **plain, **named, **_marks(message.additional_kwargs)}
        case AIMessage():
            calls = [{k: c[k] for k in ("id", "name", "args")} for c in message.tool_calls]
            more = {"calls": calls} if calls else {}
            return {"role": "assistant", **plain, **more, **_marks(message.additional_kwargs)}
    raise TypeError(f"a message of type {message.type!r} is not part of a conversation")


def _marks(kept: dict[str, Any]) -> dict[str, Any]:
    return {mark: kept[mark] for mark in (CUT, BY, CORRECTED) if kept.get(mark)}


def _message(plain: dict[str, Any], at: str) -> AnyMessage:
    content, own = plain["content"], plain["id"]
    match plain["role"]:
        case "user":
            return HumanMessage(content, id=own, additional_kwargs={AT: at})
        case "tool":
            return ToolMessage(
                content,
                id=own,
                name=plain["name"],
                tool_call_id=plain["call"],
                additional_kwargs=_marks(plain),
            )
        case _:
            calls = [
                ToolCall(type="tool_call", id=call["id"], name=call["name"], args=call["args"])
                for call in plain.get("calls", [])
            ]
            return AIMessage(content, id=own, tool_calls=calls, additional_kwargs=_marks(plain))
