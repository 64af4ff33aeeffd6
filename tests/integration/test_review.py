"""`longhaul review`: what happened to the memory, from a conversation to the table and the CSV."""

import asyncio
import csv
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli
from graph.database import Database
from memory import names
from memory.facts import log_events, read_log
from memory.review import entries
from state.facts import Event, Fact
from state.review import week_of
from tests.integration.scripted_talk import Plot, Talk, new_thread, open_talk

MINUTE, WEEK = timedelta(minutes=1), timedelta(weeks=1)
SAID = [
    "My name is Ada.",
    "It is about LH20481137.",
    "I hope it comes soon.",
    "Please call me Ida now.",
    "It cost $129.99 at the counter.",
    "Thanks.",
    "Bye.",
]
PLOT = Plot(
    facts={
        1: [{"kind": "customer_name", "value": "Ada", "quote": "My name is Ada.", "turn": 1}],
        3: [{"kind": "order_number", "value": "LH99999999", "quote": "LH99999999", "turn": 3}],
        4: [{"kind": "customer_name", "value": "Ida", "quote": "call me Ida now", "turn": 4}],
    },
    changes={
        "add": [
            {"kind": "happened", "text": "The user gave a name.", "turns": [1]},
            {"kind": "happened", "text": "The user was promised 4711 euros.", "turns": [2]},
        ],
        "reword": [],
        "close": [],
    },
)
TURNS = {"high_mark": "5 turns", "low_mark": "2 turns"}


async def told(talk: Talk, thread: str) -> None:
    for words in SAID:
        await talk.say(words, thread, after=WEEK if words == SAID[3] else MINUTE)


def run(*arguments: str) -> str:
    done = CliRunner().invoke(cli, ["review", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Makes the commands of this test work on a database."""

    def point(url: str) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("LONGHAUL_DATABASE", url)
        monkeypatch.setenv("COLUMNS", "200")

    return point


async def test_a_conversation_as_the_owner_reviews_it(
    postgres_url: str, on: Callable[[str], None]
) -> None:
    start = datetime.now(UTC) - WEEK - 30 * MINUTE
    thread, other = new_thread(), new_thread()
    async with open_talk(postgres_url, PLOT, start=start, settings=TURNS) as talk:
        await told(talk, thread)
        await talk.say(SAID[0], other, after=MINUTE)
    on(postgres_url)

    rows = list(csv.DictReader(StringIO(await asyncio.to_thread(run, "--csv", "-"))))

    mine = [(r["event"], int(r["turn"]), r["value"]) for r in rows if r["thread"] == thread]
    first, second = week_of(start.isoformat()), week_of((start + WEEK).isoformat())
    assert {r["week"] for r in rows if int(r["turn"]) < 4 and r["thread"] == thread} == {first}
    assert {r["week"] for r in rows if r["event"] == "changed"} == {second}
    assert mine[:4] == [
        ("stated", 1, "Ada"),
        ("stated by pattern", 2, "LH20481137"),
        ("rejected", 3, "LH99999999"),
        ("changed", 4, "Ida"),
    ]
    assert ("dropped", 4, "The user was promised 4711 euros.") in mine
    assert [r["before"] for r in rows if r["event"] == "changed"] == ["Ada"]
    assert [r["reason"] for r in rows if r["event"] == "rejected"] == ["the quote was not said"]
    missed = [r["event"] for r in rows if r["missed"] == "1"]
    assert set(missed) <= {"stated by pattern", "audit pin"}
    assert "stated by pattern" in missed
    assert [r["event"] for r in rows if r["thread"] == other] == ["stated"]

    table = await asyncio.to_thread(run, "--thread", thread)
    assert f"Week {first}" in table
    assert f"Week {second}" in table
    assert "suspected misses: 1" in table
    assert other[:8] not in table
    this_week = await asyncio.to_thread(run, "--thread", thread, "--weeks", "1")
    assert f"Week {first}" not in this_week


async def test_a_fold_in_the_review(postgres_url: str) -> None:
    """What was said and noted by nobody is pinned, and counted as missed."""
    thread = new_thread()
    plot = Plot(changes=PLOT.changes)
    start = datetime.now(UTC)
    async with open_talk(postgres_url, plot, start=start, settings=TURNS) as talk:
        for words in [SAID[4], *SAID[:4], *SAID[5:]]:
            await talk.say(words, thread, after=MINUTE)
        found = await entries(talk.database.store, thread, start)

    pins = [entry.value for entry in found if entry.event == "audit pin"]
    assert "$129.99" in pins
    assert all(entry.missed for entry in found if entry.event == "audit pin")
    assert next(e.value for e in found if e.event == "compaction") == "turns 1-4"


async def test_the_csv_goes_to_a_file_and_a_path_that_cannot_be_written_is_told(
    postgres_url: str, on: Callable[[str], None], tmp_path: Path
) -> None:
    thread = new_thread()
    async with open_talk(postgres_url, PLOT) as talk:
        await talk.say(SAID[0], thread, after=timedelta())
    on(postgres_url)

    assert "1 rows in review.csv" in await asyncio.to_thread(run, "--csv", "review.csv")
    written = (tmp_path / "review.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(StringIO(written)))
    assert [row["quote"] for row in rows] == ["My name is Ada."]
    refused = await asyncio.to_thread(
        CliRunner().invoke, cli, ["review", "--csv", "no/such/folder.csv"]
    )
    assert refused.exit_code == 2
    assert "no/such/folder.csv" in refused.output


async def test_a_value_drives_neither_the_terminal_nor_the_markup(
    postgres_url: str, on: Callable[[str], None]
) -> None:
    odd = "[red]Ada[/red] \x1b[2J"
    fact = {"kind": "note", "value": odd, "quote": odd, "turn": 1}
    async with open_talk(postgres_url, Plot(facts={1: [fact]})) as talk:
        await talk.say(f"Note this: {odd}", new_thread(), after=timedelta())
    on(postgres_url)

    table = await asyncio.to_thread(run)

    assert "[red]Ada[/red]" in table
    assert "\x1b[2J" not in table


def event(turn: int) -> Event:
    fact = Fact(
        kind="note",
        value=f"value {turn}",
        turn=turn,
        said="2026-11-30",
        about="",
        quote="words",
        by="user",
        was="",
        found="model",
    )
    return Event(event="stated", fact=fact, before=None)


@pytest.mark.parametrize("kind", ["postgres", "sqlite"])
async def test_a_log_is_read_whole_once_while_others_write_to_it(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path}/talk.db"
    if kind == "postgres":
        url = request.getfixturevalue("postgres_url")
    async with open_talk(url, Plot()) as talk:
        await read_while_written(talk.database)


async def read_while_written(database: Database) -> None:
    store, at = database.store, datetime.now(UTC).isoformat()
    turns = range(1, 701)
    await log_events(store, "t", at=at, events=[event(turn) for turn in turns])
    reading = True

    async def write() -> None:
        turn = 0
        while reading:
            turn = turn % 700 + 1
            await log_events(store, "t", at=at, events=[event(turn)])

    writing = asyncio.create_task(write())
    for _ in range(5):
        rows = await read_log(store, "t")
        assert [row["turn"] for row in rows] == list(turns)
        found = await entries(store, "t", datetime.fromisoformat(at))
        assert sorted(entry.turn for entry in found) == list(turns)
    reading = False
    await writing
    assert len(await store.asearch(names.fact_log("t"), limit=1000)) == 700
