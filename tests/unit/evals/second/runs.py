"""A run of the sample that was held, in a folder."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from evals.run.plan import Plan, begun
from evals.run.report import report
from evals.run.run import Outcome
from tests.unit.evals.run.samples import asked, record, sample, sample_course

REPLIES = {
    8: "You live in 1 Elm Row.",
    9: "It was the Heron.",
    10: "I do not know what you plan.",
    11: "LH00000002",
    12: "You are 41.",
    13: "CHEESE",
    15: "I do not know where you live.",
}
"""By turn."""
VERDICTS = {
    8: "stale value",
    9: "answered",
    10: "forgotten",
    11: "invented",
    12: "invented",
    13: "obeyed",
    15: "answered",
}


def held(
    folder: Path, monkeypatch: pytest.MonkeyPatch, replies: Mapping[int, str] = REPLIES
) -> None:
    """Writes the run and its report."""
    monkeypatch.setattr("evals.second.probes.shipped", lambda _: [sample()])
    plan = Plan(conversations=("sample",), seed=1, model="m")
    begun(folder, plan)
    records = [
        record(n, {}, asked=asked(replies[n]) if n in replies else None) for n in range(1, 16)
    ]
    found = report(plan, [Outcome(course=sample_course(), records=records)])
    (folder / "report.json").write_text(found.model_dump_json(), encoding="utf-8")
