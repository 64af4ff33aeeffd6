"""`longhaul rebuild` and `longhaul transcript`: what an owner does with one conversation."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.names import thread_id
from tests.integration.scripted_talk import Plot, Talk, open_talk

TURNS = {"high_mark": "5 turns", "low_mark": "2 turns"}
FOLDED = "turns 1 to 4"
NAME = "ada and the parcel"


def noted(words: str) -> dict[str, Any]:
    """The summariser's answer: one note of the first turn."""
    note = {"kind": "happened", "text": words, "turns": [1]}
    return {"add": [note], "reword": [], "close": []}


@pytest.fixture
def plot() -> Plot:
    """What the model says; a test may change it."""
    return Plot(changes=noted("Ada greeted."))


@pytest.fixture
async def talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plot: Plot) -> AsyncIterator[Talk]:
    """A conversation whose first four turns left the window, for the commands to find."""
    url = f"sqlite:///{tmp_path / 'owner.db'}"
    async with open_talk(url, plot, settings=TURNS) as opened:
        monkeypatch.setenv("LONGHAUL_DATABASE", url)
        monkeypatch.setenv("OPENAI_BASE_URL", opened.model.base_url)
        for turn in range(1, 8):
            await opened.say(f"Message {turn}.", thread_id(NAME), after=timedelta(minutes=1))
        yield opened


async def run(*arguments: str, code: int = 0) -> str:
    done = await asyncio.to_thread(CliRunner().invoke, cli, arguments, env={"COLUMNS": "200"})
    assert done.exit_code == code, done.output
    return " ".join(done.output.split())


async def test_a_summary_is_made_anew_under_another_prompt(talk: Talk, plot: Plot) -> None:
    before = await talk.state(thread_id(NAME))
    assert [note["text"] for note in before["summary"]["items"]] == ["Ada greeted."]

    plot.changes = noted("Ada sent a first message.")
    assert f"{NAME}: {FOLDED}" in await run("rebuild", "--thread", NAME)
    after = await talk.state(thread_id(NAME))
    assert [note["text"] for note in after["summary"]["items"]] == ["Ada sent a first message."]
    assert after["summary"]["through"] == before["summary"]["through"] == 4
    assert after["messages"] == before["messages"]
    assert f"{thread_id(NAME)}: {FOLDED}" in await run("rebuild", "--all")


@pytest.mark.usefixtures("talk")
async def test_the_transcript_keeps_what_left_the_window() -> None:
    shown = await run("transcript", "--thread", NAME, "--through", "3", "--count", "2")
    assert "Message 2." in shown
    assert "Message 3." in shown
    assert "Message 1." not in shown
    assert "Message 4." not in shown


@pytest.mark.usefixtures("talk")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rebuild", "--thread", "nobody"], "nothing was said in 'nobody'"),
        (["rebuild"], "give one of --thread NAME and --all"),
        (["rebuild", "--thread", NAME, "--all"], "give one of --thread NAME and --all"),
        (["transcript", "--thread", "nobody"], "nothing was said in 'nobody'"),
        (["transcript", "--thread", NAME, "--count", "0"], "greater than or equal to 1"),
    ],
)
async def test_a_mistake_is_told(arguments: list[str], said: str) -> None:
    assert said in await run(*arguments, code=2)
