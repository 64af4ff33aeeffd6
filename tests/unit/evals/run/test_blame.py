"""Whose fault it is, from where a fact stood turn by turn."""

from collections.abc import Sequence

from evals.run.blame import Blame, blame, vanished
from evals.run.records import Place, TurnRecord
from evals.run.verdict import Verdict
from tests.unit.evals.run.samples import asked, record, sample_course, turn_of

COURSE = sample_course()
KEPT: list[Place] = ["window", "archive", "request"]


def history(
    fact: str, turn: int, *, gone_at: int, where: Sequence[Place] = KEPT
) -> list[TurnRecord]:
    """Records up to `turn`: the fact is `where` it is until compaction 1 in turn `gone_at`."""
    return [
        record(
            n,
            {fact: where if n < gone_at else ["archive"]} if n >= 4 else {},
            version=int(n >= gone_at),
            through=0 if n < gone_at else gone_at - 1,
        )
        for n in range(1, turn)
    ]


def blamed(
    fact: str,
    verdict: Verdict,
    places: Sequence[Place],
    *,
    log: Sequence[tuple[str, str]] = (),
    earlier: Sequence[Place] = (),
    gone_at: int = 7,
    through: int = 6,
    found: Sequence[int] = (),
) -> Blame | None:
    turn = turn_of(fact)
    last = record(
        turn,
        {fact: places},
        earlier={fact: earlier} if earlier else {},
        version=1,
        through=through,
        asked=asked("", log=log, found=found),
    )
    return blame(COURSE, [*history(fact, turn, gone_at=gone_at), last], verdict)


def test_nobody_is_to_blame_for_an_answer() -> None:
    assert blamed("address", "answered", ["request"]) is None


def test_the_model_for_what_was_in_the_request() -> None:
    for verdict in ("forgotten", "asked again", "stale value"):
        found = blamed("address", verdict, ["summary", "archive", "request"])
        assert found == Blame("model", "it was in the request and was not used")


def test_the_summary_for_what_vanished_at_a_compaction() -> None:
    found = blamed("plan", "forgotten", ["archive"])
    assert found == Blame("summary", "vanished at compaction 1, in turn 7")


def test_the_search_for_a_detail_that_only_the_archive_holds() -> None:
    nothing, others = (blamed("ship", "forgotten", ["archive"], found=f) for f in ((), (2,)))
    assert nothing is not None
    assert others is not None
    assert (nothing.part, others.part) == ("search", "search")
    assert nothing.why == "vanished at compaction 1, in turn 7; the search found nothing"
    assert others.why.endswith("the search found other turns")


def test_the_search_for_a_fact_that_was_not_chosen() -> None:
    found = blamed("address", "forgotten", ["facts", "archive"])
    assert found is not None
    assert found.part == "search"


def test_the_extractor_for_a_value_that_it_never_gave() -> None:
    found = blamed("address", "stale value", ["archive"], log=[("stated", "1 Elm Row")])
    assert found is not None
    assert found.part == "extractor"
    assert found.why.startswith("it was never extracted; vanished at compaction 1")
    doubted = blamed("address", "forgotten", ["archive"], log=[("rejected", "2 Oak Row")])
    assert doubted is not None
    assert doubted.why.startswith("its evidence was not believed")


def test_the_facts_for_an_old_value_that_they_hold_even_when_the_new_one_was_sent() -> None:
    found = blamed(
        "address", "stale value", ["window", "request"], earlier=["facts"], log=[("stated", "x")]
    )
    assert found is not None
    assert found.part == "extractor"


def test_the_merge_for_a_value_that_was_stated_and_did_not_stay() -> None:
    log = [("stated", "1 Elm Row"), ("changed by pattern", "2 Oak Row")]
    found = blamed("address", "stale value", ["archive"], earlier=["facts"], log=log)
    assert found is not None
    assert found.part == "merge"


def test_the_window_for_a_turn_that_left_before_a_summary_covered_it() -> None:
    found = blamed("plan", "forgotten", ["archive"], through=3)
    assert found == Blame("window", "turn 4 left the window before a summary covered it")


def test_the_window_for_what_was_left_out_of_the_request() -> None:
    found = blamed("plan", "forgotten", ["window", "archive"])
    assert found is not None
    assert found.part == "window"


def test_the_archive_for_a_turn_that_the_transcript_does_not_hold() -> None:
    found = blamed("ship", "forgotten", [])
    assert found == Blame("archive", "the transcript does not hold turn 4")


def test_the_model_for_what_nobody_said() -> None:
    turn = turn_of("")
    records = [*history("ship", turn, gone_at=7), record(turn, {}, asked=asked("You are 41."))]
    assert blame(COURSE, records, "invented") == Blame("model", "nobody ever said it")


def test_of_what_was_taken_back_the_facts_are_to_blame_only_if_they_hold_it() -> None:
    def last(earlier: Sequence[Place], log: Sequence[tuple[str, str]]) -> Blame | None:
        told = record(15, {}, earlier={"address": earlier}, asked=asked("", log=log))
        return blame(COURSE, [*history("address", 15, gone_at=7), told], "stale value")

    stated = [("stated", "2 Oak Row")]
    clean, kept = last(["summary"], stated), last(["facts"], stated)
    unmet = last(["facts"], [*stated, ("retracted", "2 Oak Row")])
    assert [each.part for each in (clean, kept, unmet) if each] == ["model", "extractor", "merge"]


def test_when_something_vanished() -> None:
    records = history("plan", 12, gone_at=7)
    gone = vanished(records, "plan", 4)
    assert gone is not None
    assert gone.turn == 7
    assert vanished(records[:6], "plan", 4) is None
    assert vanished(history("plan", 12, gone_at=2), "plan", 4) is None
