"""`longhaul memory` and `longhaul token`: what an owner does in the terminal."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.api.models import Export, ThreadExport
from app.cli import cli
from graph.environment import read_settings
from graph.tokens import verifier
from state.fact_ids import fact_id
from tests.integration.scripted_talk import Plot, Talk, new_thread, open_talk

NAME = {"kind": "customer_name", "value": "Ann", "quote": "My name is Ann.", "turn": 1}
NAME_ID = fact_id("customer_name", "Ann")
SECRET = "a secret of thirty-two bytes, or a few more"


@pytest.fixture
async def talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Talk]:
    """A graph on a database that the commands open, too."""
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    monkeypatch.setenv("LONGHAUL_DATABASE", url)
    async with open_talk(url, Plot(facts={1: [NAME]})) as opened:
        yield opened


@pytest.fixture
async def thread(talk: Talk) -> str:
    """A thread in which Ann gave her name and a number."""
    name = new_thread()
    for words in ("My name is Ann.", "It is about LH20481137."):
        await talk.say(words, name, after=timedelta(minutes=1), user="ann")
    return name


async def run(*arguments: str, code: int = 0, input: str = "") -> str:
    """What `longhaul memory` prints."""
    done = await asyncio.to_thread(
        CliRunner().invoke, cli, ["memory", *arguments], input=input, env={"COLUMNS": "200"}
    )
    assert done.exit_code == code, done.output
    return done.output


async def test_a_thread_and_a_user_are_shown(thread: str) -> None:
    shown = await run("show", "--thread", thread)
    assert f"{NAME_ID} │ customer_name │ Ann" in shown
    assert "turn 2; turns from 1 on are sent verbatim" in shown
    assert "tokens of a request now:" in shown
    of_user = json.loads(await run("show", "--user", "ann", "--json"))
    assert [fact["value"] for fact in of_user["facts"]] == ["Ann"]
    of_thread = json.loads(await run("show", "--thread", thread, "--json"))
    assert [fact["value"] for fact in of_thread["facts"]] == ["Ann", "LH20481137"]
    assert "nothing is remembered" in await run("show", "--user", "bob")


async def test_a_fact_is_corrected_and_the_conversation_goes_on_with_it(
    talk: Talk, thread: str
) -> None:
    said = await run("set", NAME_ID, "Anne Lee", "--thread", thread)
    assert said == "customer_name: Anne Lee (before: Ann)\n"
    assert "Anne Lee" in await run("show", "--thread", thread)
    await talk.say("Who am I?", thread, after=timedelta(minutes=1), user="ann")
    state = await talk.state(thread)
    assert [f["value"] for f in state["facts"]["customer_name"]] == ["Anne Lee"]
    await run("set", "address", "3 Bay St, Hull", "--user", "ann")
    assert "3 Bay St, Hull" in await run("show", "--user", "ann")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show"], "give one of --thread"),
        (["show", "--thread", "a", "--user", "b"], "give one of --thread"),
        (["show", "--thread", "nobody-said-anything"], "nothing was said"),
        (["set", "shoe_size", "9", "--user", "ann"], "there is no kind"),
        (["set", "budget", "9", "--user", "ann"], "does not outlive"),
        (["set", "0" * 16, "9", "--user", "ann"], "no fact"),
        (["export", "--user", "ann", "--to", "no/such/folder.json"], "No such file"),
        (["forget", "--user", "ann", "--fact", "0" * 16, "--yes"], "knows no fact"),
        (["forget", "--fact", "0" * 16, "--yes"], "give --thread or --user"),
        (["forget", "--thread", "t", "--fact", "0" * 16, "--yes"], "thread 't' knows no fact"),
        (["forget", "--user", "ann", "--yes", "--server", "http://127.0.0.1:9"], "127.0.0.1:9"),
    ],
)
async def test_a_mistake_is_told(talk: Talk, arguments: list[str], said: str) -> None:
    assert said in " ".join((await run(*arguments, code=2)).split())
    assert await talk.state(new_thread()) == {}


async def test_an_export_is_one_file(thread: str, tmp_path: Path) -> None:
    file = tmp_path / "ann.json"
    assert f"written to {file}" in await run("export", "--user", "ann", "--to", str(file))
    export = Export.model_validate_json(await asyncio.to_thread(file.read_text, "utf-8"))
    assert [each.thread for each in export.threads] == [thread]
    alone = ThreadExport.model_validate_json(await run("export", "--thread", thread))
    assert [each.turn for each in alone.transcript] == [1, 2]


async def test_forgetting_asks_first_and_prints_a_receipt(thread: str) -> None:
    fact = ["forget", "--thread", thread, "--fact", NAME_ID]
    assert "Aborted" in await run(*fact, code=1, input="n\n")
    assert "Ann" in await run("show", "--user", "ann")
    assert "still found afterwards: " in await run(*fact, input="y\n")
    assert "nothing is remembered" in await run("show", "--user", "ann")
    assert "removed: " in await run("forget", "--user", "ann", "--yes")
    assert "nothing was said" in await run("show", "--thread", thread, code=2)


def test_a_token_for_development_signs_in(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = CliRunner().invoke(cli, ["token", "ann"])
    assert "LONGHAUL_AUTH_SECRET is not set" in str(refused.exception)
    monkeypatch.setenv("LONGHAUL_AUTH_SECRET", SECRET)
    token = CliRunner().invoke(cli, ["token", "ann", "--hours", "1"]).output.strip()
    checks = verifier(read_settings(_env_file=None))
    assert checks is not None
    assert checks.user(token) == "ann"
    assert CliRunner().invoke(cli, ["token", "a\nb"]).exit_code == 2
