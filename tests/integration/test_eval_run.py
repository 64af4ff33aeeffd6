"""The evals that know the answers: a part that is broken on purpose is seen, and named."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage, RemoveMessage
from langgraph.store.base import BaseStore
from typer.testing import CliRunner

from app.model_server import faults, standin
from app.model_server.chat import ChatRequest
from app.model_server.script import Answer, Script
from app.model_server.server import ModelServer
from app.model_server.steps import Reply, Step
from app.model_server.steps import text as reply
from evals.run.__main__ import cli
from evals.run.gateway import Meter, TimedReply, first_token
from evals.run.plan import Plan, begun
from evals.run.report import ProbeResult, Report, report
from evals.run.run import Hall, run, so_far
from evals.run.upstream import Upstream
from graph.environment import read_settings
from memory.recall.searcher import Found, Query, Searcher
from nodes.load_memory import LoadMemory
from state.exchanges import Exchange, group
from state.facts import Change, Fact, Merged, merged
from state.session import SessionState, SessionUpdate
from tests.integration.eval_models import Reader, first_homes, nothing_much
from tests.unit.evals.run.samples import sample_course, turn_of

SMALL = {
    "high_mark": "300",
    "low_mark": "150",
    "hard_limit": "2100",
    "reply_tokens": "100",
    "pins_tokens": "0",
    "recall": "always",
    "recall_tokens": "200",
}
PLAN = Plan(conversations=("sample",), seed=1, model="reader", settings=SMALL)

Run = Callable[..., Any]


@pytest.fixture
def held(tmp_path: Path, services_data: Path) -> Run:
    """Holds the sample in a folder, and reports."""

    async def hold(
        model: Answer, *, plan: Plan = PLAN, folder: str = "run", most: int = 0
    ) -> Report:
        hall = Hall(
            folder=tmp_path / folder,
            kept=begun(tmp_path / folder, plan),
            person=read_settings(_env_file=None, data=services_data),
            model=model,
            meter=Meter(most_calls=most),
            on_turn=lambda *_: None,
        )
        outcomes = so_far(hall.folder, [sample_course()])
        await run(hall, outcomes, parallel=2)
        return report(plan, outcomes)

    return hold


def probes(found: Report) -> list[ProbeResult]:
    return found.conversations[0].probes


def verdicts(found: Report) -> dict[str, tuple[str, str]]:
    """Verdict and blame by what was asked for first."""
    return {each.fact: (each.verdict, each.blame) for each in reversed(probes(found))}


def without(*settings: str, **changed: str) -> Plan:
    kept = {name: value for name, value in SMALL.items() if name not in settings}
    return PLAN.model_copy(update={"settings": {**kept, **changed}})


async def test_with_all_parts_at_work_each_probe_is_answered(held: Run) -> None:
    plan = PLAN.model_copy(update={"strategies": ("everything", "last-n", "summary", "facts")})
    found = await held(Reader(sample_course()), plan=plan)
    result = found.conversations[0]
    assert set(verdicts(found).values()) == {("answered", "")}
    assert result.held == result.turns == 15
    assert len(result.compactions) > 1
    ship = dict(result.places["ship"])
    assert ship[4] == "w--ar"
    assert "---a-" in ship.values()
    asked = next(each for each in result.probes if each.fact == "ship")
    assert asked.told
    assert {step[1] for step in result.places["address"] if step[0] > 13} == {""}
    # Nobody takes the address back out of the facts.
    last = result.probes[-1]
    assert (last.fact, last.verdict, last.blame) == ("address", "stale value", "extractor")
    assert last.told is None
    answers = {name: side.answered for name, side in found.strategies.items()}
    assert answers["longhaul"] == answers["everything"] == len(result.probes) - 1
    assert answers["facts"] < answers["longhaul"]
    assert 0 < found.strategies["facts"].tokens < found.strategies["longhaul"].tokens


async def test_a_run_that_stopped_goes_on_where_it_was_and_ends_the_same(
    held: Run, tmp_path: Path
) -> None:
    whole = await held(Reader(sample_course()), folder="whole")
    broken = await held(Reader(sample_course()), most=9)
    [part] = broken.conversations
    assert 0 < part.held < part.turns
    assert part.stopped == "the cap of 9 calls is reached"
    # As if it had been killed while it wrote: the graph is a turn further on than the file.
    file = tmp_path / "run" / "sample.jsonl"
    *lines, cut = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(lines) + cut[:20], encoding="utf-8")
    again = await held(Reader(sample_course()))
    # A summary that was written behind the turn that was lost is not written twice.
    spent = {
        "conversations": {"__all__": {"calls", "tokens"}},
        "strategies": {"longhaul": {"behind"}},
    }
    assert again.model_dump(exclude=spent) == whole.model_dump(exclude=spent)
    ended = await held(lambda _: pytest.fail("nothing is left to ask"))
    assert ended == again


async def test_two_runs_with_the_stand_in_and_one_seed_give_the_same_report(held: Run) -> None:
    plan = PLAN.model_copy(update={"model": "stand-in", "strategies": ("everything", "facts")})
    one = await held(standin.answer, plan=plan, folder="one")
    two = await held(standin.answer, plan=plan, folder="two")

    assert one.model_dump_json() == two.model_dump_json()
    assert len(one.conversations[0].compactions) > 1
    assert one.strategies["everything"].sent is not None


async def test_a_summariser_that_drops_things_is_blamed(held: Run) -> None:
    broken = replace(Reader(sample_course()), notes=nothing_much)
    found = verdicts(await held(broken, plan=without("recall", recall="never")))
    assert found["plan"] == ("forgotten", "summary")
    assert found["address"] == ("answered", "")


async def test_an_extractor_that_keeps_old_values_is_blamed(held: Run) -> None:
    found = verdicts(await held(replace(Reader(sample_course()), facts=first_homes)))
    assert found["address"] == ("stale value", "extractor")
    assert found["plan"] == ("answered", "")


async def test_a_search_that_returns_nothing_is_blamed(
    held: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(_self: Searcher, _store: BaseStore, _query: Query) -> Found:
        return Found(passages=[], scored=[], trouble="")

    monkeypatch.setattr(Searcher, "find", nothing)
    found = verdicts(await held(Reader(sample_course())))
    assert found["ship"] == ("forgotten", "search")
    assert found["plan"] == found["address"] == ("answered", "")


async def test_a_merge_that_forgets_is_blamed(held: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(facts: Mapping[str, Sequence[Fact]], changes: Sequence[Change]) -> Merged:
        made = merged(facts, changes)
        return Merged({k: v for k, v in made.facts.items() if k != "address"}, made.events)

    monkeypatch.setattr("state.extraction.merged", forgetful)
    plan = without("recall", recall="never")
    found = verdicts(await held(Reader(sample_course()), plan=plan))
    assert found["address"] == ("forgotten", "merge")


def whole(exchange: Exchange) -> Sequence[BaseMessage]:
    return exchange.messages


def its_words(exchange: Exchange) -> Sequence[BaseMessage]:
    """What the user said, so that the reply stands alone."""
    return exchange.asked


@pytest.mark.parametrize("gone", [whole, its_words])
async def test_a_window_that_loses_or_splits_an_exchange_is_blamed(
    held: Run, monkeypatch: pytest.MonkeyPatch, gone: Callable[[Exchange], Sequence[BaseMessage]]
) -> None:
    async def careless(
        _self: LoadMemory, before: SessionState, _desk: object, _store: BaseStore, _thread: str
    ) -> SessionUpdate:
        """Folds nothing, and lets go of the feast, or of the words that spoke of it."""
        said = group(before["messages"])[:-1]
        lost = [m for e in said if e.asked and "feast" in e.asked[0].text for m in gone(e)]
        return SessionUpdate(messages=[RemoveMessage(str(m.id)) for m in lost])  # type: ignore[misc]

    monkeypatch.setattr(LoadMemory, "_folded", careless)
    plan = without("recall", recall="never")
    found = verdicts(await held(Reader(sample_course()), plan=plan))
    assert found["plan"] == ("forgotten", "window")


async def test_a_model_that_fails_ends_its_conversation_and_is_named(held: Run) -> None:
    reader = Reader(sample_course())

    def failing(request: ChatRequest) -> Step:
        return faults.unauthorized() if request.schema_name is None else reader(request)

    found = await held(failing)
    [result] = found.conversations
    assert result.held == turn_of("address") - 1
    assert "the key was refused (HTTP 401)" in result.stopped


def test_a_real_server_streams_its_reply_and_the_first_word_is_timed() -> None:
    def slow(request: ChatRequest) -> Step:
        assert request.stream is (request.schema_name is None)
        return reply("One two three.", delay=0.4)

    form = {"type": "json_schema", "json_schema": {"name": "Operations", "schema": {}}}
    said = [("system", "Be kind."), ("user", "Hi")]
    asked = {"model": "m", "messages": [{"role": who, "content": words} for who, words in said]}
    with ModelServer(Script(slow)) as server:
        upstream = Upstream(read_settings(_env_file=None, OPENAI_BASE_URL=server.base_url))
        began = time.monotonic()
        step = upstream(ChatRequest(asked))
        took = time.monotonic() - began
        filled = upstream(ChatRequest({**asked, "response_format": form}))
        upstream.close()
    assert isinstance(step, TimedReply)
    assert (step.content, step.finish_reason) == ("One two three.", "stop")
    assert step.usage is not None
    # Each word was held back as long; a busy machine may hear of the first one late.
    assert 0.4 <= step.first_token < took * 2 / 3
    assert isinstance(filled, Reply)
    assert (first_token(filled), filled.content) == (None, "One two three.")


def test_the_command_writes_the_report_and_fails_below_a_threshold(
    tmp_path: Path, services_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    limits = tmp_path / "limits.toml"
    limits.write_text("[run]\nanswered = 1.0\n", encoding="utf-8")
    out = ["--out", "out", "--data", str(services_data)]
    said = ["typo", *out, "--calls", "4", "--thresholds", str(limits)]
    with ModelServer(Script(standin.answer)) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.base_url)
        monkeypatch.setenv("LONGHAUL_MODEL", "small")
        done = CliRunner().invoke(cli, said)
        assert done.exit_code == 1, done.output
        assert [each.chat.schema_name for each in model.requests] == ["Operations"] * 4
        assert {each.chat.model for each in model.requests} == {"small"}
    assert "typo: 4 of 36 turns" in done.output
    assert "plumbing" not in done.output
    written = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert written["conversations"][0]["stopped"] == "the cap of 4 calls is reached"
    assert written["plan"]["model"] == "small"
    judged = CliRunner().invoke(cli, ["--out", "out", "--judge"])
    assert judged.exit_code == 0, judged.output
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "typo: 4 of 36 turns: not held any further yet" in page
    again = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert again["conversations"][0]["stopped"] == "not held any further yet"
    assert again["conversations"][0]["places"] == written["conversations"][0]["places"]
    other = CliRunner().invoke(cli, ["party", *out])
    assert other.exit_code == 2
    assert "holds another run (conversations differ)" in other.output
    wrong = CliRunner().invoke(cli, ["--set", "hi=1"])
    assert (wrong.exit_code, wrong.output) == (2, "'hi=1' is no setting, as in high_mark=1500\n")
