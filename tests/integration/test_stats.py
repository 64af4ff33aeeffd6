"""`longhaul stats`: what was counted in conversations, by release, once each."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli import cli
from memory import counts, erase
from state.context import Context
from tests.integration.scripted_talk import EXTRACTION, REPLY, Plot, Talk, new_thread, open_talk

START = datetime.now(UTC) - timedelta(days=3)
SECONDS, HOURS = timedelta(seconds=20), timedelta(hours=2)
ORDER = "My order number is LH20481137."
PLOT = Plot(
    replies={
        "Where is it?": "What is your order number?",
        "I already told you.": "Sorry. LH20481137 is on its way.",
        "Das habe ich doch schon gesagt.": "Verzeihung.",
    }
)
MODELS = {"model": "alpha", "models": ("beta",), "extract_model": "small"}
PRICES = """
currency = "EUR"
[models.alpha]
input = 2
cached = 1
output = 10
[models.beta]
input = 4
output = 20
[models.small]
input = 0
output = 0
"""


async def talks(talk: Talk) -> tuple[str, str]:
    """Two conversations: one on each model, the first going on on the second's."""
    one, other = new_thread(), new_thread()
    await talk.say(ORDER, one, after=SECONDS)
    await talk.say("Where is it?", one, after=SECONDS)
    await talk.say("I already told you.", one, after=HOURS)
    await talk.say("Where is it?", one, after=SECONDS, model="beta")
    await talk.say("Where is it?", other, after=SECONDS, model="beta")
    await talk.say("Das habe ich doch schon gesagt.", other, after=SECONDS, model="beta")
    return one, other


def point(monkeypatch: pytest.MonkeyPatch, folder: Path, url: str, prices: str = PRICES) -> None:
    (folder / "prices.toml").write_text(prices, encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("LONGHAUL_DATABASE", url)
    monkeypatch.setenv("LONGHAUL_PRICES", "prices.toml")
    monkeypatch.setenv("COLUMNS", "200")


async def run(*arguments: str) -> str:
    done = await asyncio.to_thread(
        CliRunner().invoke, cli, ["stats", *arguments], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    return done.output


def by_model(told: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {line["release"].partition(" ")[0]: line for line in told["releases"]}


async def test_two_conversations_on_two_releases(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with open_talk(postgres_url, PLOT, start=START, settings=MODELS) as talk:
        one, other = await talks(talk)
    point(monkeypatch, tmp_path, postgres_url)

    told = json.loads(await run("--json"))

    lines = by_model(told)
    alpha, beta, whole = lines["alpha"], lines["beta"], told["total"]
    counted = ("conversations", "turns", "corrections", "asked_again")
    assert [alpha[name] for name in counted] == [1, 3, 1, 1]
    assert [beta[name] for name in counted] == [2, 3, 1, 1]
    assert [whole[name] for name in counted] == [2, 6, 2, 2]
    assert all(
        line["release"].startswith(f"{name} + small + alpha @") for name, line in lines.items()
    )
    assert whole["gaps"] == {
        "under 1 min": 3,
        "under 5 min": 0,
        "under 1 h": 0,
        "under 1 day": 1,
        "under 1 week": 0,
        "longer": 0,
    }
    assert whole["per_thousand_conversations"]["corrections"] == 1000
    assert beta["per_thousand_conversations"]["turns"] == 1500
    assert told["currency"] == "EUR"
    assert told["unpriced"] == []
    replies = 3 * (40 * 2 + 60 * 1 + REPLY.completion_tokens * 10) / 1_000_000
    assert alpha["cost"] == pytest.approx(replies)
    # A turn's extraction is counted with the next turn.
    sent = 3 * REPLY.prompt_tokens + 2 * EXTRACTION.prompt_tokens
    assert alpha["input_tokens"] == sent
    assert alpha["cached_share"] == pytest.approx(3 * REPLY.cached_tokens / sent)

    table = await run()
    assert "For a thousand conversations" in table
    assert "Time since the turn before" in table
    alone = json.loads(await run("--thread", other, "--json"))
    assert [alone["total"][name] for name in counted] == [1, 2, 1, 0]
    assert by_model(json.loads(await run("--thread", one, "--json"))).keys() == {"alpha", "beta"}


async def test_a_turn_that_is_answered_anew_counts_once(postgres_url: str) -> None:
    async with open_talk(postgres_url, PLOT, start=START, settings=MODELS) as talk:
        one, _ = await talks(talk)
        config: Any = {"configurable": {"thread_id": one}}
        before = (await talk.state(one))["counts"]
        history = [s async for s in talk.graph.aget_state_history(config)]
        due = next(s for s in history if s.next == ("respond",))
        await talk.graph.ainvoke(None, due.config, context=Context(model="beta"))
        after = (await talk.state(one))["counts"]
        kept = await counts.read(talk.database.store, [one])

    turns = {name: tally["turns"] for name, tally in before["releases"].items()}
    assert {name: tally["turns"] for name, tally in after["releases"].items()} == turns
    assert kept == [after]


@pytest.mark.parametrize(("judge", "corrections"), [(False, [0]), (True, [1])])
async def test_a_model_judges_corrections_where_that_is_switched_on(
    postgres_url: str, judge: bool, corrections: list[int]
) -> None:
    settings = MODELS | {"judge_corrections": judge}
    async with open_talk(postgres_url, Plot(judged=True), settings=settings) as talk:
        thread = new_thread()
        await talk.say(ORDER, thread, after=SECONDS)
        await talk.say("You never remember a thing, do you?", thread, after=SECONDS)
        releases = (await talk.state(thread))["counts"]["releases"]

    assert [tally["corrections"] for tally in releases.values()] == corrections


async def test_what_is_erased_is_not_counted_any_more(postgres_url: str) -> None:
    async with open_talk(postgres_url, PLOT, start=START, settings=MODELS) as talk:
        one, other = await talks(talk)
        store = talk.database.store
        assert await erase.threads(store) == sorted([one, other])
        await erase.erase_thread(store, one)
        assert [c["thread"] for c in await counts.read(store, [one, other])] == [other]


async def test_a_model_without_a_price_is_told_and_no_cost_is_made_up(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with open_talk(postgres_url, PLOT, start=START, settings=MODELS) as talk:
        await talks(talk)
    only_alpha = PRICES.replace("[models.beta]", "[models.gamma]")
    point(monkeypatch, tmp_path, postgres_url, prices=only_alpha)

    told = json.loads(await run("--json"))

    assert told["unpriced"] == ["beta"]
    assert by_model(told)["alpha"]["cost"] > 0
    assert by_model(told)["beta"]["cost"] is None
    assert told["total"]["cost"] is None
    assert "no price for: beta" in await run()


async def test_nothing_counted_yet(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    point(monkeypatch, tmp_path, postgres_url)

    assert "nothing was counted yet" in await run()
    assert json.loads(await run("--json"))["total"] is None
