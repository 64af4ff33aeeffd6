"""Every door of the graph, in this process: what is refused changes nothing in any table."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START
from langgraph.types import Command, StateUpdate
from psycopg import sql

from app.model_server.server import ModelServer
from app.model_server.steps import text
from graph.database import Database
from graph.environment import read_settings
from graph.guarded import GuardedGraph
from graph.resources import open_graph
from state.admission import AT
from state.errors import InputRefused
from tests.integration.doors import (
    ADDRESSES,
    ADMITTED,
    COMMANDS,
    CONTEXTS,
    FIRST,
    NEWEST,
    REFUSED,
    Json,
    addressed,
    user,
)
from tests.integration.server.served import fresh_database

pytestmark = pytest.mark.asyncio(loop_scope="module")

ANSWER = "Fine."

DIGESTS = sql.SQL(" UNION ALL ").join(
    sql.SQL("SELECT {}, md5(string_agg(t::text, '' ORDER BY t::text)) FROM {} t").format(
        sql.Literal(name), sql.Identifier(name)
    )
    for name in ("checkpoints", "checkpoint_blobs", "checkpoint_writes", "store")
)


class House:
    """A graph with its database, and a thread of two turns."""

    def __init__(self, graph: GuardedGraph, database: Database, model: ModelServer) -> None:
        self.graph = graph
        self.database = database
        self.model = model
        self.thread: RunnableConfig = {"configurable": {"thread_id": str(uuid4())}}

    async def settle_in(self) -> None:
        await self.graph.ainvoke(user("First", id=FIRST), self.thread)
        await self.graph.ainvoke(user("Second", id=NEWEST), self.thread)

    async def messages(self, thread: RunnableConfig) -> list[Any]:
        return list((await self.graph.aget_state(thread)).values.get("messages", []))

    async def all_rows(self) -> list[Any]:
        """What is in the tables, as a digest of each."""
        assert self.database.pool is not None
        async with self.database.pool.connection() as connection:
            found = await connection.execute(DIGESTS)
            return await found.fetchall()

    async def refusal(self, knocking: Awaitable[Any]) -> str:
        """What is said; whatever was there before must be there after, and nothing more."""
        before, asked = await self.all_rows(), len(self.model.requests)
        with pytest.raises(InputRefused) as caught:
            await knocking
        assert await self.all_rows() == before
        assert len(self.model.requests) == asked
        return str(caught.value)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(postgres_server: str) -> AsyncIterator[House]:
    """The shipped graph on a Postgres."""
    with fresh_database(postgres_server) as url, ModelServer(lambda _: text(ANSWER)) as model:
        settings = read_settings(
            extract_every=1000,  # the script holds replies only
            _env_file=None,
            OPENAI_BASE_URL=model.base_url,
            database=url,
            data=Path("/nowhere"),
        )
        async with open_graph(settings) as opened:
            made = House(opened.graph, opened.database, model)
            await made.settle_in()
            yield made


async def run(graph: GuardedGraph, thread: RunnableConfig, payload: Any) -> None:
    await graph.ainvoke(payload, thread)


async def watch(graph: GuardedGraph, thread: RunnableConfig, payload: Any) -> None:
    async for _ in graph.astream_events(payload, thread, version="v2"):
        pass


async def write(graph: GuardedGraph, thread: RunnableConfig, payload: Any) -> None:
    await graph.aupdate_state(thread, payload)


async def write_as_input(graph: GuardedGraph, thread: RunnableConfig, payload: Any) -> None:
    await graph.aupdate_state(thread, payload, as_node=START)


async def write_steps(graph: GuardedGraph, thread: RunnableConfig, payload: Any) -> None:
    fine = StateUpdate(user("An admissible step before it"), START)
    await graph.abulk_update_state(thread, [[fine], [StateUpdate(payload, START)]])


Door = Callable[[GuardedGraph, RunnableConfig, Any], Awaitable[None]]
MAIN_DOORS: list[Door] = [run, write, write_steps]
SIDE_DOORS: list[Door] = [watch, write_as_input]
"""They lead through the main ones."""
SAMPLE = ["a system message", "the remove-all marker", "a forged turn", "the id of a reply"]

every_door = pytest.mark.parametrize("door", [*MAIN_DOORS, *SIDE_DOORS])


@pytest.mark.parametrize("door", SIDE_DOORS)
@pytest.mark.parametrize("name", SAMPLE)
async def test_refused_at_a_side_door(house: House, door: Door, name: str) -> None:
    await test_refused(house, door, *REFUSED[name])


@pytest.mark.parametrize("door", MAIN_DOORS)
@pytest.mark.parametrize(("payload", "said"), REFUSED.values(), ids=REFUSED)
async def test_refused(house: House, door: Door, payload: Any, said: str) -> None:
    reply = (await house.messages(house.thread))[1]
    knocking = door(house.graph, house.thread, addressed(payload, reply.id))
    assert said in await house.refusal(knocking)


@every_door
@pytest.mark.parametrize("text", ["half a character \ud800", "\ud800"])
async def test_half_a_character_never_gets_in(house: House, door: Door, text: str) -> None:
    thread: RunnableConfig = {"configurable": {"thread_id": str(uuid4())}}
    if text.strip("\ud800"):
        await door(house.graph, thread, user(text))
        assert "half a character " in [m.content for m in await house.messages(thread)]
    else:
        knocking = door(house.graph, thread, user(text))
        assert "is empty" in await house.refusal(knocking)


@every_door
@pytest.mark.parametrize(("payload", "content"), ADMITTED.values(), ids=ADMITTED)
async def test_admitted(house: House, door: Door, payload: Json, content: Any) -> None:
    thread: RunnableConfig = {"configurable": {"thread_id": str(uuid4())}}
    await door(house.graph, thread, payload)
    said = [m for m in await house.messages(thread) if m.type == "human"][-1]
    if content is not None:
        assert said.content == content
    assert set(said.additional_kwargs) == {AT}
    assert not said.additional_kwargs[AT].startswith("1999")
    if door in {run, watch}:
        assert (await house.messages(thread))[-1].content == ANSWER


async def test_an_image_sent_as_data_goes_to_the_model_and_is_kept_as_a_reference(
    house: House,
) -> None:
    payload: Any = ADMITTED["an image as data"][0]
    data = payload["messages"][0]["content"][0]
    thread: RunnableConfig = {"configurable": {"thread_id": str(uuid4())}}
    await house.graph.ainvoke(payload, thread)
    [kept] = (await house.messages(thread))[0].content
    assert kept["image_url"]["url"].startswith("longhaul-image:")
    assert data in house.model.requests[-1].messages[-1]["content"]


@every_door
@pytest.mark.parametrize(("address", "said"), ADDRESSES.values(), ids=ADDRESSES)
async def test_an_address_that_is_none(house: House, door: Door, address: Json, said: str) -> None:
    place = {**house.thread["configurable"], **address}
    knocking = door(house.graph, {"configurable": place}, user("Hi"))
    assert said in await house.refusal(knocking)


@pytest.mark.parametrize(("address", "said"), ADDRESSES.values(), ids=ADDRESSES)
async def test_an_address_that_is_none_to_go_on_from(
    house: House, address: Json, said: str
) -> None:
    place: RunnableConfig = {"configurable": {**house.thread["configurable"], **address}}
    assert said in await house.refusal(run(house.graph, place, None))
    assert said in await house.refusal(run(house.graph, place, Command(resume="yes")))
    assert said in await house.refusal(house.graph.aupdate_state(place, None))


@pytest.mark.parametrize("thread", ["a\x00b", "\ud800", "a\nb", "x" * 10_000])
async def test_a_thread_that_cannot_be_stored(house: House, thread: str) -> None:
    place: RunnableConfig = {"configurable": {"thread_id": thread}}
    said = await house.refusal(run(house.graph, place, user("Hi")))
    assert said.startswith("thread id ")
    assert said.endswith("cannot be stored")


@pytest.mark.parametrize("place", ["thread_id", "checkpoint_id"])
async def test_what_no_store_can_hold_cannot_be_looked_for(house: House, place: str) -> None:
    where: RunnableConfig = {"configurable": {**house.thread["configurable"], place: "a\x00b"}}
    assert "cannot be looked for" in await house.refusal(house.graph.aget_state(where))


@pytest.mark.parametrize(("context", "said"), CONTEXTS.values(), ids=CONTEXTS)
async def test_a_context_that_is_refused(house: House, context: Json, said: str) -> None:
    choices: Any = context
    knocking = house.graph.ainvoke(user("Hi"), house.thread, context=choices)
    assert said in await house.refusal(knocking)


@pytest.mark.parametrize(("command", "said"), COMMANDS.values(), ids=COMMANDS)
async def test_a_command_that_is_refused(house: House, command: Json, said: str) -> None:
    assert said in await house.refusal(run(house.graph, house.thread, Command(**command)))
    assert "input must be an object" in await house.refusal(
        write_as_input(house.graph, house.thread, Command(**command))
    )


async def test_an_empty_command_is_refused(house: House) -> None:
    said = await house.refusal(run(house.graph, house.thread, Command()))
    assert said == "command field 'resume' is empty"


@pytest.mark.parametrize(
    "node", ["load_memory", "respond", "tools", "archive", "__input__", "__copy__", "nonsense", END]
)
async def test_nobody_writes_as_a_node(house: House, node: str) -> None:
    graph, thread = house.graph, house.thread
    values: Any = user("Hi")
    said = await house.refusal(graph.aupdate_state(thread, values, as_node=node))
    assert said.startswith(f"state cannot be written as node {node!r}")
    await house.refusal(graph.aupdate_state(thread, [[{"turn": 9}, "respond"]], as_node=node))


async def test_an_update_of_nothing_changes_nothing(house: House) -> None:
    before = await house.graph.aget_state(house.thread)
    written = await house.graph.aupdate_state(house.thread, None)
    assert written == before.config
    assert await house.graph.aget_state(house.thread) == before


async def test_nobody_clears_what_is_to_be_done(house: House) -> None:
    said = await house.refusal(house.graph.aupdate_state(house.thread, None, as_node=END))
    assert "cannot be written as node" in said


async def test_the_doors_that_are_not_offered_are_shut(house: House) -> None:
    before = await house.all_rows()
    with pytest.raises(NotImplementedError):
        house.graph.invoke(user("Hi"), house.thread)
    with pytest.raises(NotImplementedError):
        house.graph.update_state(house.thread, user("Hi"))
    assert await house.all_rows() == before


async def test_new_words_for_the_newest_message_edit_it(house: House) -> None:
    thread: RunnableConfig = {"configurable": {"thread_id": str(uuid4())}}
    await house.graph.ainvoke(user("Where is it?", id="q1"), thread)
    await house.graph.ainvoke(user("Where is my parcel?", id="q1"), thread)
    assert [m.content for m in await house.messages(thread)] == ["Where is my parcel?", ANSWER]


async def test_the_same_message_twice_is_one(house: House) -> None:
    thread: RunnableConfig = {"configurable": {"thread_id": str(uuid4())}}
    for _ in range(2):
        await house.graph.ainvoke(user("Where is it?", id="q1"), thread)
    assert [m.content for m in await house.messages(thread)] == ["Where is it?", ANSWER]
