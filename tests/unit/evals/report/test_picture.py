"""The picture of the strategies."""

import re
from xml.etree import ElementTree

from evals.report.picture import draw
from evals.run.plan import Plan
from evals.run.report import Report, report
from evals.run.sides import Side
from evals.run.verdict import Verdict


def side(tokens: int, **verdicts: int) -> Side:
    named: dict[Verdict, int] = {
        "answered": verdicts.get("right", 0),
        "forgotten": verdicts.get("forgotten", 0),
        "stale value": verdicts.get("stale", 0),
    }
    return Side(
        answered=named["answered"],
        probes=sum(named.values()),
        verdicts=named,
        tokens=tokens,
        sent=None,
        behind=None,
        cost=None,
    )


def held(**sides: Side) -> Report:
    empty = report(Plan(conversations=(), model="a <b>"), [])
    return empty.model_copy(update={"strategies": sides})


def widths(drawn: str, kind: str) -> list[float]:
    found = re.findall(rf'<rect class="{kind}" [^>]*height="18"/>', drawn)
    return [float(re.search(r'width="([\d.]+)"', each)[1]) for each in found]  # type: ignore[index]


def test_the_bars_are_as_long_as_what_they_stand_for() -> None:
    drawn = draw(
        held(ours=side(400, right=3, forgotten=1), all=side(800, right=1, forgotten=1, stale=2))
    )
    ElementTree.fromstring(drawn)  # noqa: S314
    ours, everything = widths(drawn, "answered")
    assert ours == 3 * everything
    assert widths(drawn, "wrong") == [2 * everything]
    short, long = widths(drawn, "tokens")
    assert long == 2 * short
    assert "4 questions, model a &lt;b&gt;" in drawn
    assert {"3", "100", "200"} <= set(re.findall(r">([^<]+)</text>", drawn))


def test_a_run_without_questions_has_a_picture_too() -> None:
    drawn = draw(held(ours=side(0)))
    ElementTree.fromstring(drawn)  # noqa: S314
    assert widths(drawn, "tokens") == [0.0]
