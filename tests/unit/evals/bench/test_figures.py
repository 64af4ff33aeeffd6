"""What the clock and the requests say of a run."""

import json
from pathlib import Path

import pytest

from evals.bench.conversation import Exchange, conversation
from evals.bench.databases import Size
from evals.bench.figures import figures, spread
from evals.bench.model import REPLY, SUMMARY
from evals.bench.run import Played, Run
from evals.bench.spans import spans
from evals.bench.timing import Turn

MS = 1_000_000
TURNS = 12
TALK = conversation(TURNS)


def _turn(turn: int) -> Turn:
    """Every turn begins 100 ms after the one before it; its reply takes from 20 to 30 ms."""
    sent = turn * 100 * MS
    return Turn(
        turn=turn, sent=sent, first=sent + 20 * MS, last=sent + 30 * MS, done=sent + 35 * MS
    )


def _run() -> Run:
    blocks = [
        Played(
            turns=block,
            wall_ns=40 * MS * len(block),
            cpu_ns=10 * MS * len(block),
            grown=Size(database=8192 * len(block), log=9000 * len(block)),
        )
        for block in spans(TURNS).blocks
    ]
    return Run(name="someone", turns=[_turn(t) for t in range(1, TURNS + 1)], blocks=blocks)


def _log(folder: Path, talk: list[Exchange], *, summary_in: int | None = None) -> Path:
    """The requests of a contestant that sends everything."""
    said: list[dict[str, str]] = [{"role": "system", "content": "be kind"}]
    lines: list[str] = []

    def ask(model: str, at: int) -> None:
        body = {"model": model, "messages": said}
        lines.append(json.dumps({"at": at, "body": body}) + "\n")

    for turn, exchange in enumerate(talk, 1):
        said.append({"role": "user", "content": exchange.user})
        if turn == summary_in:
            ask(SUMMARY, _turn(turn).sent + 1)
        ask(REPLY, _turn(turn).sent + 7 * MS)
        said.append({"role": "assistant", "content": exchange.reply})
    file = folder / "someone.jsonl"
    file.write_text("".join(lines), encoding="utf-8")
    return file


def test_a_mean_turn_of_either_end(tmp_path: Path) -> None:
    found = figures(_run(), _log(tmp_path, TALK), TALK, spans(TURNS))

    assert (found.first.wall_ms, found.last.cpu_ms) == (40.0, 10.0)
    assert (found.first.database_bytes, found.last.log_bytes) == (8192, 9000)
    assert found.first.tokens < found.last.tokens == sum(found.tokens[-4:]) / 4
    assert found.to_model_ms == 7.0


def test_who_sends_everything_repeats_everything_and_loses_nothing(tmp_path: Path) -> None:
    found = figures(_run(), _log(tmp_path, TALK), TALK, spans(TURNS))

    assert found.reaches == 1.0
    assert 0.5 < found.repeated < 1.0
    assert (found.fate.in_request, found.fate.lost) == (1.0, 0.0)


def test_a_gap_counts_as_due_when_a_summary_was_asked_for_in_it(tmp_path: Path) -> None:
    found = figures(_run(), _log(tmp_path, TALK, summary_in=5), TALK, spans(TURNS))

    # From the last token to the end of the run, and from the next message to its first token.
    assert (found.gap.count, found.gap.p50, found.gap.most) == (TURNS - 2, 25.0, 25.0)
    assert found.gap_due is not None
    assert found.gap_due.count == 1
    assert found.summaries == 1
    assert found.other_tokens > 0
    assert found.fate.shown > 0


def test_without_a_summary_none_was_due(tmp_path: Path) -> None:
    assert figures(_run(), _log(tmp_path, TALK), TALK, spans(TURNS)).gap_due is None


def test_a_turn_without_its_request_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="11 requests for replies in 12 turns"):
        figures(_run(), _log(tmp_path, TALK[:-1]), TALK, spans(TURNS))


def test_a_request_too_many_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="13 requests for replies in 12 turns"):
        figures(_run(), _log(tmp_path, [*TALK, TALK[0]]), TALK, spans(TURNS))


def test_the_spread_of_some_durations() -> None:
    found = spread([n * MS for n in range(1, 101)])

    assert (found.count, found.p50, found.most) == (100, 50.5, 100.0)
    assert 95 <= found.p95 <= 96
    assert spread([3 * MS]).p95 == 3.0
