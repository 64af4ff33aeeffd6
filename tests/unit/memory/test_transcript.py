"""Rows that find each other: in order, on every branch, in pages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage
from langgraph.store.memory import InMemoryStore

from memory import transcript
from memory.transcript import BLOCK
from state.admission import AT
from state.exchanges import Exchange, group
from state.session import Trail
from tests.unit.state.talk import exchange

THREAD = "a.thread@example"


def talk(first: int, last: int, branch: str = "") -> list[tuple[int, Exchange]]:
    """Numbered exchanges; those of another branch have other ids."""
    numbered = []
    for n in range(first, last + 1):
        messages = [m.model_copy(update={"id": f"{m.id}{branch}"}) for m in exchange(n).messages]
        numbered.append((n, Exchange(tuple(messages))))
    return numbered


async def written(
    store: InMemoryStore, exchanges: list[tuple[int, Exchange]], trail: Trail | None = None
) -> Trail:
    after = await transcript.write(store, THREAD, exchanges, trail)
    assert after is not None
    return after


async def ids(store: InMemoryStore, trail: Trail | None, through: int, count: int) -> list[str]:
    rows = await transcript.read_page(store, trail, through=through, count=count)
    return [row["ids"][0] for row in rows]


@given(st.integers(1, 3 * BLOCK), st.integers(0, 3 * BLOCK), st.integers(1, 50))
async def test_a_page_ends_with_its_turn_and_is_in_order(
    last: int, through: int, count: int
) -> None:
    store = InMemoryStore()
    trail = await written(store, talk(1, last))
    wanted = range(max(1, min(through, last) - count + 1), min(through, last) + 1)
    assert await ids(store, trail, through, count) == [f"u{n}" for n in wanted]


async def test_an_early_page_of_a_long_thread_is_found_by_blocks() -> None:
    store = Counting()
    trail = await written(store, talk(1, 40 * BLOCK))
    store.reads = 0
    assert await ids(store, trail, 5, 2) == ["u4", "u5"]
    assert store.reads < 40 + BLOCK + 2


class Counting(InMemoryStore):
    """Counts what is read."""

    reads = 0

    async def aget(self, *args, **options):  # type: ignore[no-untyped-def]  # noqa: ANN002, ANN003, ANN201
        self.reads += 1
        return await super().aget(*args, **options)


@pytest.mark.parametrize("fork", [1, 5, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK])
async def test_branches_share_what_they_share_and_nothing_else(fork: int) -> None:
    store = InMemoryStore()
    stem = await written(store, talk(1, fork))
    one = await written(store, talk(fork + 1, 3 * BLOCK), stem)
    other = await written(store, talk(fork + 1, 3 * BLOCK, "x"), stem)
    shared = [f"u{n}" for n in range(1, fork + 1)]
    own = [f"u{n}" for n in range(fork + 1, 3 * BLOCK + 1)]
    assert await ids(store, one, 3 * BLOCK, 1000) == [*shared, *own]
    assert await ids(store, other, 3 * BLOCK, 1000) == [*shared, *(f"{i}x" for i in own)]
    assert await ids(store, other, fork, 1) == shared[-1:]


async def test_writing_in_steps_or_twice_is_writing_at_once() -> None:
    once, steps = InMemoryStore(), InMemoryStore()
    whole = await written(once, talk(1, BLOCK + 3))
    trail = None
    for numbered in talk(1, BLOCK + 3):
        await transcript.write(steps, THREAD, [numbered], trail)
        trail = await written(steps, [numbered], trail)
    assert trail == whole
    rows = [await transcript.read_page(s, whole, through=99, count=99) for s in (once, steps)]
    assert rows[0] == rows[1]


@pytest.mark.parametrize("last", [2, BLOCK, BLOCK + 1])
async def test_a_step_back_ends_one_turn_earlier(last: int) -> None:
    store = InMemoryStore()
    before = await written(store, talk(1, last - 1))
    after = await written(store, talk(last, last), before)
    assert await transcript.step_back(store, after) == before


async def test_before_the_first_turn_there_is_nothing() -> None:
    store = InMemoryStore()
    assert await transcript.write(store, THREAD, [], None) is None
    assert await transcript.read_page(store, None, through=5, count=5) == []
    first = await written(store, talk(1, 1))
    assert await transcript.step_back(store, first) is None
    assert await transcript.read_page(store, first, through=0, count=5) == []


async def test_another_thread_reads_the_rows_that_its_trail_names() -> None:
    store = InMemoryStore()
    trail = await written(store, talk(1, 3))
    copied = await transcript.write(store, "copy", talk(4, 5), trail)
    assert await ids(store, copied, 5, 9) == ["u1", "u2", "u3", "u4", "u5"]
    assert await ids(store, trail, 9, 9) == ["u1", "u2", "u3"]


async def test_after_an_erased_row_the_page_ends() -> None:
    store = InMemoryStore()
    trail = await written(store, talk(1, 3))
    middle = await transcript.step_back(store, trail)
    assert middle is not None
    await store.adelete(("longhaul", "threads", "a%2Ethread%40example", "transcript"),
                        middle["last"]["key"])  # fmt: skip
    assert await ids(store, trail, 3, 9) == ["u3"]


async def test_a_row_is_known_by_its_turn_and_its_messages() -> None:
    [(_, one), (_, other)] = [*talk(3, 3), *talk(3, 3, "x")]
    trail = await written(InMemoryStore(), [(3, one)])
    assert transcript.is_row_of(trail["last"], 3, one)
    assert not transcript.is_row_of(trail["last"], 3, other)
    assert not transcript.is_row_of(trail["last"], 4, one)
    assert transcript.turn_of(trail["last"]) == 3


async def test_an_exchange_can_be_had_back_as_it_was_said() -> None:
    call = ToolCall(name="f", args={"n": [1, "ü"]}, id="c1", type="tool_call")
    picture = [{"type": "image_url", "image_url": {"url": "longhaul-image:t/k"}}]
    said: list[AnyMessage] = [
        HumanMessage("Hi {x} <b>", id="u1", additional_kwargs={AT: "2026-03-01T09:00:00+00:00"}),
        HumanMessage([*picture], id="u2", additional_kwargs={AT: "2026-03-01T09:00:00+00:00"}),
        AIMessage("Well.", id="a1", tool_calls=[call]),
        ToolMessage("one", name="f", tool_call_id="c1", id="result-c1"),
        AIMessage("Yes.", id="a2", additional_kwargs={"cut": "length"}),
    ]
    store = InMemoryStore()
    [whole] = group(said)
    trail = await written(store, [(1, whole)])
    [row] = await transcript.read_page(store, trail, through=1, count=1)
    assert row["at"] == "2026-03-01T09:00:00+00:00"
    assert list(transcript.as_exchange(row).messages) == said
