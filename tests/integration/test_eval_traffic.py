"""`evals from-thread`: a thread stored on Postgres becomes a file that runs, with nobody's data."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.model_server import standin
from app.model_server.script import Script
from app.model_server.server import ModelServer
from app.names import thread_id
from evals.cli import cli
from evals.run.conversation import read
from tests.integration.scripted_talk import Plot, Talk, open_talk

MINUTE, WEEK = timedelta(minutes=1), timedelta(weeks=1)
SAID = [
    "Hello, my name is Odile Varga.",
    "My order is LH20481137, no, sorry: it's LH20481173. Write to odile.varga@mail.example",
    "Call me on +44 7700 900123. I live at 12 Hill Rd, Leeds LS1 4XY.",
    "My card is 4111 1111 1111 1111, and the dog is called Bramble.",
    "Please call me Ottilie now, everybody does.",
    "Thanks, nothing else.",
]
PLOT = Plot(
    replies={SAID[3]: "What a name for a dog, Odile! I will send the parcel on Monday."},
    facts={
        1: [{"kind": "customer_name", "value": "Odile Varga", "quote": "Odile Varga", "turn": 1}],
        3: [
            {
                "kind": "address",
                "value": "12 Hill Rd, Leeds LS1 4XY",
                "quote": "I live at 12 Hill Rd, Leeds LS1 4XY",
                "turn": 3,
            }
        ],
        4: [
            {
                "kind": "promise",
                "value": "send the parcel on Monday",
                "quote": "I will send the parcel on Monday",
                "turn": 4,
            }
        ],
        5: [{"kind": "customer_name", "value": "Ottilie", "quote": "call me Ottilie", "turn": 5}],
    },
)
PERSONAL = (
    *("Odile", "Varga", "Ottilie", "LH20481137", "LH20481173", "mail.example", "900123", "Hill"),
    *("Leeds", "LS1 4XY", "4111", "Bramble", "of-odile"),
)
THREAD = "of-odile"


async def told(url: str) -> None:
    async with open_talk(url, PLOT, start=datetime(2026, 3, 2, 9, tzinfo=UTC)) as talk:
        await _say_all(talk)


async def _say_all(talk: Talk) -> None:
    for words in SAID:
        await talk.say(words, thread_id(THREAD), after=WEEK if words == SAID[4] else MINUTE)


def evals(*arguments: str) -> Any:
    return CliRunner().invoke(cli, list(arguments))


WANTED = ("--missing", "Bramble", "--ask", "What is my dog called?", "--missing", "LS1 4XY")


@pytest.fixture
def thread(postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a thread in which all was said."""
    monkeypatch.chdir(tmp_path)
    asyncio.run(told(postgres_url))
    monkeypatch.setenv("LONGHAUL_DATABASE", postgres_url)
    return THREAD


def test_a_stored_thread_becomes_a_file_that_runs_and_asks_for_what_was_missing(
    thread: str, services_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = evals("from-thread", thread, "--out", "dog_1.toml", *WANTED)
    assert made.exit_code == 0, made.output
    assert "dog_1.toml: 6 turns, 9 facts, " in made.output
    written = Path("dog_1.toml").read_text(encoding="utf-8")
    assert not [gone for gone in PERSONAL if gone in written or gone in made.output]

    found = read(Path("dog_1.toml"))
    assert found.name == "dog-1"
    assert set(found.facts) == {
        *("customer_name", "address", "order_number_1", "order_number_2", "email_1", "phone_1"),
        *("promise_1", "missing_1", "missing_2"),
    }
    assert [turn.hours for turn in found.turns[:6]] == [0, 0, 0, 0, 168, 0]
    called = [s.value for turn in found.turns for s in turn.says if s.fact == "customer_name"]
    assert called[0].split()[0] in found.turns[0].user
    assert called[0].split()[0] in found.turns[3].bot
    assert called[1] in found.turns[4].user

    with ModelServer(Script(standin.answer)) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.base_url)
        ran = evals("run", "dog_1.toml", "--out", "run", "--data", str(services_data))
    assert ran.exit_code == 0, ran.output
    [held] = json.loads(Path("run/report.json").read_text(encoding="utf-8"))["conversations"]
    assert (held["name"], held["held"]) == ("dog-1", 8)
    assert [probe["told"] for probe in held["probes"]] == [True, True]
    shown = evals("show", "dog_1.toml", "missing_1", "--out", "run")
    assert shown.exit_code == 0, shown.output
    assert "What is my dog called?" in shown.output


def test_what_was_replaced_is_shown_and_a_wish_that_cannot_be_met_is_told(thread: str) -> None:
    listed = evals("from-thread", thread, "--out", "other.toml", "--show", "--keep", "Bramble")
    assert "'Leeds' is '" in listed.output
    assert "Bramble" in Path("other.toml").read_text(encoding="utf-8")
    for arguments, fault in (
        (["nobody"], "nothing was said in 'nobody'"),
        ([thread, "--missing", "Rufus"], "no turn says 'Rufus'"),
        ([thread, "--ask", "Who?"], "there is a question, and nothing that is missing"),
        ([thread, "--filler", "war"], "'war' is none of support, planning, companion"),
    ):
        refused = evals("from-thread", *arguments, "--out", "none.toml")
        assert refused.exit_code == 2
        assert fault in " ".join(refused.output.replace("│", " ").split())
    assert not Path("none.toml").exists()
