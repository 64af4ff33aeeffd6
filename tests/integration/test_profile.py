"""What outlives a conversation, over a real Postgres: it greets the next, and nobody else's."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from app.model_server.chat import ChatRequest, text_of
from memory import profile
from memory.facts import read_log
from state.context import Context
from state.fact_ids import fact_id
from state.profile import standing
from state.session import SessionInput
from tests.integration.scripted_talk import Plot, Talk, new_thread, open_talk

MINUTE = timedelta(minutes=1)
SAID: dict[str, list[tuple[str, str, str]]] = {
    "I am Ann Lee.": [("customer_name", "Ann Lee", "")],
    "Nuts make me ill, and it is about LH20481137.": [("must_not", "Nuts", "")],
    "I live at 3 Bay St, Hull.": [("address", "3 Bay St, Hull", "")],
    "I live at 9 Hill Rd, Leeds.": [("address", "9 Hill Rd, Leeds", "")],
    "I moved to 5 Elm Way, York.": [("address", "5 Elm Way, York", "3 Bay St, Hull")],
    "Please forget that nuts make me ill, it was wrong.": [("must_not", "nuts", "!")],
    **{f"I prefer number {n}.": [("preference", f"number {n}", "")] for n in range(10)},
}


class Learner(Plot):
    """Takes the facts of SAID from whatever turn they are said in."""

    def __call__(self, request: ChatRequest) -> Any:
        if request.schema_name == "Operations":
            asked = text_of(request.messages[-1])
            self.facts = {turn: _facts(asked, turn) for turn in range(1, 20)}
        return super().__call__(request)


def _facts(asked: str, turn: int) -> list[dict[str, Any]]:
    _, _, rest = asked.partition(f'<turn n="{turn}"')
    words = rest.partition("<user>")[2].partition("</user>")[0]
    return [
        {"kind": kind, "value": value, "quote": words, "turn": turn}
        | ({"act": "retract"} if old == "!" else {"old": old})
        for kind, value, old in SAID.get(words, [])
    ]


@pytest.fixture
async def talk(postgres_url: str) -> AsyncIterator[Talk]:
    async with open_talk(postgres_url, Learner()) as opened:
        yield opened


async def say(talk: Talk, thread: str, *words: str, user: str = "ann") -> None:
    for each in words:
        await talk.say(each, thread, after=MINUTE, user=user)


def asked(talk: Talk) -> str:
    """The newest request for a reply, whole."""
    return "\n".join(text_of(message) for message in talk.requests()[-1].messages)


async def events(talk: Talk, thread: str) -> list[tuple[str, str, str]]:
    rows = await read_log(talk.database.store, thread)
    return [(row["event"], row["value"], row["before"]) for row in rows]


async def values(talk: Talk, user: str = "ann") -> dict[str, list[str]]:
    kinds: dict[str, list[str]] = {}
    for each in standing(await profile.read(talk.database.store, user)):
        assert each["fact"] is not None
        kinds.setdefault(each["fact"]["kind"], []).append(each["fact"]["value"])
    return kinds


async def test_the_next_conversation_knows_the_person_and_not_the_parcel(talk: Talk) -> None:
    first, second, other, nobody = (new_thread() for _ in range(4))
    await say(talk, first, "I am Ann Lee.", "Nuts make me ill, and it is about LH20481137.")

    await say(talk, second, "Hello!")
    [system] = [m for m in talk.requests()[-1].messages if m["role"] == "system"]
    assert "- customer_name: Ann Lee [an earlier conversation, " in text_of(system)
    assert "- must_not: Nuts [an earlier conversation, " in text_of(system)
    assert "LH20481137" not in asked(talk)

    await say(talk, other, "Hello!", user="bob")
    assert "Ann Lee" not in asked(talk)
    assert "Nuts" not in asked(talk)
    await say(talk, nobody, "Hello!", user="")
    assert "Ann Lee" not in asked(talk)


async def test_somebody_else_in_the_same_thread_is_not_told_the_profile(talk: Talk) -> None:
    first, second = new_thread(), new_thread()
    await say(talk, first, "I am Ann Lee.")
    await say(talk, second, "Hello!")
    assert "Ann Lee" in asked(talk)
    await say(talk, second, "And hello from me!", user="bob")
    assert "Ann Lee" not in asked(talk)


async def test_the_request_repeats_to_its_last_word_while_the_profile_stands(talk: Talk) -> None:
    first, second = new_thread(), new_thread()
    await say(talk, first, "I am Ann Lee.")
    await say(talk, second, "Hello!", "How are you?", "I live at 3 Bay St, Hull.", "Well then.")
    requests = talk.requests()[1:]
    for before, after in pairwise(requests):
        sent = [text_of(m) for m in before.messages]
        sent[-1] = sent[-1].partition("\n\n<context>")[0]
        assert [text_of(m) for m in after.messages][: len(sent)] == sent


async def test_what_one_thread_learns_the_other_knows_at_its_next_turn(talk: Talk) -> None:
    one, other = new_thread(), new_thread()
    await say(talk, one, "Hello!")
    await say(talk, other, "Hello!", "I am Ann Lee.")
    await say(talk, one, "Who am I?")
    assert "Also known:\n- customer_name: Ann Lee [an earlier conversation, " in asked(talk)

    await say(talk, one, "Nuts make me ill, and it is about LH20481137.")
    await say(talk, other, "Please forget that nuts make me ill, it was wrong.")
    assert (await values(talk)) == {"customer_name": ["Ann Lee"]}
    await say(talk, one, "What do you know?")
    state = await talk.state(one)
    assert "must_not" not in state["facts"]
    assert ("ended elsewhere", "Nuts", "Nuts") in await events(talk, one)


async def test_two_open_threads_that_disagree_are_settled_by_date_and_logged(talk: Talk) -> None:
    older, newer = new_thread(), new_thread()
    await say(talk, older, "Hello!")
    await say(talk, newer, "Hello!")
    await asyncio.gather(
        talk.say("I live at 3 Bay St, Hull.", older, after=MINUTE, user="ann"),
        talk.say("I live at 9 Hill Rd, Leeds.", newer, after=MINUTE, user="ann"),
    )
    said = {e["thread"]: e for e in await profile.read(talk.database.store, "ann")}
    later = (talk.now[0] + MINUTE).isoformat()
    await profile.learn(talk.database.store, "ann", [{**said[newer], "at": later}])

    assert (await values(talk))["address"] == ["9 Hill Rd, Leeds"]
    await say(talk, older, "Where do I live?")
    facts = (await talk.state(older))["facts"]["address"]
    assert [(f["value"], f["was"]) for f in facts] == [("9 Hill Rd, Leeds", "3 Bay St, Hull")]
    assert ("changed elsewhere", "9 Hill Rd, Leeds", "3 Bay St, Hull") in await events(talk, older)
    assert "9 Hill Rd, Leeds" in asked(talk)


async def test_what_a_later_conversation_changes_is_changed_for_all(talk: Talk) -> None:
    first, second, third = new_thread(), new_thread(), new_thread()
    await say(talk, first, "I live at 3 Bay St, Hull.")
    await say(talk, second, "I moved to 5 Elm Way, York.")
    assert ("changed", "5 Elm Way, York", "3 Bay St, Hull") in await events(talk, second)
    await say(talk, third, "Hello!")
    assert "5 Elm Way, York" in asked(talk)
    assert "3 Bay St, Hull [" not in asked(talk)


async def test_an_edited_turn_unsays_what_it_told_the_profile(talk: Talk) -> None:
    thread = new_thread()
    config: Any = {"configurable": {"thread_id": thread}}
    await say(talk, thread, "Hello!")
    before = (await talk.graph.aget_state(config)).config
    await say(talk, thread, "Nuts make me ill, and it is about LH20481137.")
    assert (await values(talk)) == {"must_not": ["Nuts"]}
    fork: Any = {"configurable": {**before["configurable"]}}
    await talk.graph.ainvoke(
        SessionInput(messages=[HumanMessage("I am Ann Lee.")]),
        fork,
        context=Context(user="ann"),
    )
    assert (await values(talk)) == {"customer_name": ["Ann Lee"]}


async def test_ten_threads_that_learn_at_once_lose_nothing(talk: Talk) -> None:
    threads = [new_thread() for _ in range(10)]
    await asyncio.gather(
        *(say(talk, each, f"I prefer number {n}.") for n, each in enumerate(threads))
    )
    known = (await values(talk))["preference"]
    assert sorted(known) == [f"number {n}" for n in range(10)]


async def test_a_profile_beyond_the_budget_is_told_where_it_matters(postgres_url: str) -> None:
    async with open_talk(postgres_url, Learner(), settings={"facts_tokens": 50}) as talk:
        facts = [f"{n}{n}{n} Some Street Number {n}, Some Town" for n in range(40)]
        store, thread = talk.database.store, new_thread()
        await profile.learn(
            store,
            "ann",
            [
                {
                    "id": fact_id("email", value),
                    "ends": False,
                    "at": f"2026-01-01T00:00:{n:02d}+00:00",
                    "thread": "t",
                    "fact": _known("email", value),
                }
                for n, value in enumerate(facts)
            ],
        )
        await say(talk, thread, "Hello!")
        assert 0 < asked(talk).count("Some Town") < 8
        assert "777 Some" not in asked(talk)
        await say(talk, thread, "Is it 777 or not?")
        assert "777 Some Street" in asked(talk)
        state = await talk.state(thread)
        assert len(str(state["facts"])) < 8000
        assert "spilled_in" not in state


def _known(kind: str, value: str) -> Any:
    return {
        "kind": kind,
        "value": value,
        "turn": 3,
        "said": "2026-01-01",
        "about": "",
        "quote": value,
        "by": "user",
        "was": "",
        "found": "model",
    }
