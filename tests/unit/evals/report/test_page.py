"""The page of a run: whole, well-formed, and with nothing from elsewhere."""

import re
from html.parser import HTMLParser

import pytest
from typing_extensions import override

from evals.report.axes import rounded
from evals.report.page import page
from evals.report.strips import tone
from evals.run.anatomy import LAYERS
from evals.run.plan import Plan
from evals.run.records import Other, TurnRecord
from evals.run.report import report
from evals.run.run import Outcome
from tests.unit.evals.run.samples import asked, record, sample_course, turn_of

PROBE = turn_of("address")


class Tags(HTMLParser):
    """Opens and closes; fails where they do not match."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    @override
    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    @override
    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def turns(held: int) -> list[TurnRecord]:
    """Turns with a compaction before the fifth; the probe is answered by nobody."""
    others = {"everything": Other(reply="<b>1 Elm Row</b>", request_tokens=900)}
    question = asked("I do not know & never did.").model_copy(update={"others": others})
    return [
        record(
            turn,
            {"address": ["window", "request"] if turn < 5 else ["facts", "request"]},
            version=int(turn > 4),
            asked=question if turn == PROBE else None,
        ).model_copy(
            update={
                "layers": dict.fromkeys(LAYERS, 10),
                "otherwise": {"everything": 100 * turn},
            }
        )
        for turn in range(1, held + 1)
    ]


def made(held: int, *, stopped: str = "") -> str:
    plan = Plan(conversations=("sample",), strategies=("everything",), settings={"high_mark": "9"})
    outcome = Outcome(course=sample_course(), records=turns(held), stopped=stopped)
    return page(report(plan, [outcome]), {"everything": 4.25})


def parsed(text: str) -> Tags:
    tags = Tags()
    tags.feed(text)
    tags.close()
    assert tags.open == []
    return tags


def test_the_page_holds_all_of_the_run_and_needs_nothing_else() -> None:
    text = made(PROBE)
    tags = parsed(text)
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in tags.seen}
    assert not re.search(r"https?:|url\(|@import|src=", text)
    kinds = [str(attrs.get("class")) for _, attrs in tags.seen]
    assert {f"f-{layer}" for layer in LAYERS} <= set(kinds)
    assert kinds.count("probe-unknown") == 1
    assert "compaction 1, before turn 5" in text
    assert "address: window, turns 1 to 4" in text
    assert f"address: facts, turns 5 to {PROBE}" in text
    assert "address, turn 4: 2 Oak Row" in text
    assert ">stale value<" in text
    assert "4.2 s" in text
    assert "high_mark=9" in text


def test_what_was_said_is_shown_as_it_was() -> None:
    text = made(PROBE)
    assert "&lt;b&gt;1 Elm Row&lt;/b&gt;" in text
    assert "I do not know &amp; never did." in text


@pytest.mark.parametrize("held", [0, 1, 5])
def test_a_run_that_broke_off_is_whole_up_to_there(held: int) -> None:
    text = made(held, stopped="the power went")
    parsed(text)
    assert f"sample: {held} of 15 turns: the power went" in text
    assert ("Where each fact was" in text) is (held > 0)


def test_records_of_an_older_release_give_a_page_without_what_they_lack() -> None:
    older = [each.model_copy(update={"layers": {}, "otherwise": {}}) for each in turns(5)]
    plan = Plan(conversations=("sample",), strategies=("everything",))
    text = page(report(plan, [Outcome(course=sample_course(), records=older)]), {})
    parsed(text)
    assert "Where each fact was" in text
    assert "by layer" not in text
    assert "by strategy" not in text


@pytest.mark.parametrize(("most", "edge"), [(1, 4), (7, 8), (130, 150), (1480, 1500), (6387, 6500)])
def test_the_edge_of_a_chart_is_round_and_above_all(most: int, edge: int) -> None:
    assert rounded(most) == edge


def test_a_verdict_is_right_wrong_or_merely_not_known() -> None:
    given = ["answered", "forgotten", "asked again", "stale value", "invented", "obeyed"]
    found = [tone(verdict) for verdict in given]
    assert found == ["answered", "unknown", "unknown", "wrong", "wrong", "wrong"]
