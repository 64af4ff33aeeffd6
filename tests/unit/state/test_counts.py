"""Counting turns by release, once each, within bounds."""

import pytest

from state.counts import (
    EARLIER,
    GAP_NAMES,
    MOST_RELEASES,
    Counts,
    Turn,
    counted,
    nothing,
    seconds_between,
    total,
)
from state.usage import ModelUsage


def turn(number: int, *, gap: float | None = None, corrected: bool = False) -> Turn:
    return Turn(number=number, corrected=corrected, asked_again=not corrected, gap=gap)


def used(requests: int) -> dict[str, ModelUsage]:
    tokens = ModelUsage(
        requests=requests,
        input_tokens=100 * requests,
        cached_tokens=60 * requests,
        output_tokens=7 * requests,
    )
    return {"m": tokens}


def after(counts: Counts | None, number: int, requests: int, release: str = "a") -> Counts:
    one = turn(number, gap=30 if number > 1 else None, corrected=number == 2)
    return counted(counts, one, used(requests), thread="t", release=release)


def test_each_turn_is_counted_under_its_release() -> None:
    counts = after(after(after(None, 1, 1), 2, 3), 3, 4, "b")

    assert counts["through"] == 3
    assert counts["releases"] == {
        "a": {
            "turns": 2,
            "corrections": 1,
            "asked_again": 1,
            "gaps": [1, 0, 0, 0, 0, 0],
            "usage": used(3),
        },
        "b": {
            "turns": 1,
            "corrections": 0,
            "asked_again": 1,
            "gaps": [1, 0, 0, 0, 0, 0],
            "usage": used(1),
        },
    }


def test_the_same_turn_on_the_same_state_gives_the_same_and_changes_nothing_in_place() -> None:
    first = after(None, 1, 1)
    kept = repr(first)

    assert after(first, 2, 2) == after(first, 2, 2)
    assert repr(first) == kept


def test_a_turn_that_is_answered_anew_adds_only_its_tokens() -> None:
    counts = after(after(None, 1, 1), 2, 2)
    again = after(counts, 2, 3)

    assert again["releases"]["a"] == {**counts["releases"]["a"], "usage": used(3)}


def test_a_copied_thread_counts_from_where_it_was_copied() -> None:
    parent = after(after(None, 1, 1), 2, 2)
    copy = counted(parent, turn(3, gap=90), used(5), thread="copy", release="a")

    assert copy["releases"] == {
        "a": {
            **nothing(),
            "turns": 1,
            "asked_again": 1,
            "gaps": [0, 1, 0, 0, 0, 0],
            "usage": used(3),
        }
    }


def test_the_releases_of_a_thread_are_bounded_and_nothing_is_lost() -> None:
    counts = None
    for number in range(1, 41):
        counts = after(counts, number, number, f"release {number % 20}")
    assert counts is not None
    releases = counts["releases"]

    assert len(releases) == MOST_RELEASES + 1
    assert list(releases)[-1] == "release 0"
    assert releases[EARLIER]["turns"] == 40 - MOST_RELEASES
    whole = total(releases.values())
    assert (whole["turns"], sum(whole["gaps"]), whole["usage"]) == (40, 39, used(40))


@pytest.mark.parametrize(
    ("gap", "place"),
    [
        (-5, "under 1 min"),
        (0, "under 1 min"),
        (59.9, "under 1 min"),
        (60, "under 5 min"),
        (3599, "under 1 h"),
        (86_399, "under 1 day"),
        (86_400, "under 1 week"),
        (604_800, "longer"),
        (10**9, "longer"),
    ],
)
def test_a_gap_has_its_place(gap: float, place: str) -> None:
    counts = counted(None, turn(1, gap=gap), {}, thread="t", release="a")

    assert counts["releases"]["a"]["gaps"] == [int(name == place) for name in GAP_NAMES]


def test_seconds_between_two_moments_whatever_their_zone() -> None:
    assert seconds_between("2026-11-30T12:00:00+00:00", "2026-11-30T13:01:00+01:00") == 60
    assert seconds_between("", "2026-11-30T13:01:00+01:00") is None
