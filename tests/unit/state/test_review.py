"""The rows of the logs as entries of the review."""

import pytest

from state.review import Entry, of_compaction, of_fact, week_of

AT = "2027-01-03T23:30:00+00:00"


@pytest.mark.parametrize(
    ("at", "week"),
    [
        (AT, "2026-W53"),
        ("2027-01-04T00:00:00+00:00", "2027-W01"),
        ("2027-01-04T00:30:00+01:00", "2026-W53"),
        ("2026-11-30T12:00:00+00:00", "2026-W49"),
    ],
)
def test_a_week_is_iso_and_in_utc(at: str, week: str) -> None:
    assert week_of(at) == week


def row(event: str, **more: str) -> dict[str, object]:
    told = {"kind": "email", "value": "a@b.example", "before": "", "by": "user", "quote": "words"}
    return {"at": AT, "turn": 4, "event": event, **told, **more}


@pytest.mark.parametrize(
    ("event", "missed"),
    [
        ("stated", False),
        ("changed", False),
        ("rejected", False),
        ("stated by pattern", True),
        ("changed by pattern", True),
    ],
)
def test_what_a_pattern_caught_a_model_missed(event: str, missed: bool) -> None:
    entry = of_fact("t", row(event))

    assert (entry.event, entry.turn, entry.value, entry.week) == (
        event,
        4,
        "a@b.example",
        "2026-W53",
    )
    assert entry.missed is missed


def test_an_exchange_that_was_passed_over_says_so() -> None:
    assert of_fact("t", row("rejected", reason="passed over: no model")).event == "passed over"


def test_a_compaction_tells_what_it_dropped_found_and_pinned() -> None:
    compaction = {
        "at": AT,
        "turns": [3, 9],
        "dropped": ["not said: He owes 5.", "no item 7 to close", "passed over: turn 4"],
        "missed_at_first": ["$129.99", "LH20481137"],
        "pinned": ["$129.99"],
    }

    def told(entry: Entry) -> tuple[str, str, str, bool]:
        return (entry.event, entry.value, entry.reason, entry.missed)

    assert [told(entry) for entry in of_compaction("t", compaction)] == [
        ("compaction", "turns 3-9", "", False),
        ("dropped", "He owes 5.", "not said", False),
        ("dropped", "no item 7 to close", "no item 7 to close", False),
        ("passed over", "turn 4", "passed over", False),
        ("audit find", "LH20481137", "noted when asked once more", False),
        ("audit pin", "$129.99", "", True),
    ]
