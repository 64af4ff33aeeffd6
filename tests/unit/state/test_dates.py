"""The date that words name, seen from when and where they are said."""

import pytest

from state.dates import local_date, resolved

WEDNESDAY = "2026-03-04T23:30:00+00:00"
"""In Berlin it is Thursday already."""


@pytest.mark.parametrize(
    ("words", "date"),
    [
        ("next Friday", "2026-03-06"),
        ("by Friday", "2026-03-06"),
        ("tomorrow", "2026-03-06"),
        ("today", "2026-03-05"),
        ("yesterday", "2026-03-04"),
        ("in two weeks", "2026-03-19"),
        ("until 14 March", "2026-03-14"),
        ("March 2", "2027-03-02"),
        ("2026-04-01", "2026-04-01"),
        ("nächsten Freitag", "2026-03-06"),
        ("bis morgen", "2026-03-06"),
        ("am 14. März", "2026-03-14"),
        ("mañana", "2026-03-06"),
        ("el próximo lunes", "2026-03-09"),
        ("avant le 3 avril", "2026-04-03"),
        ("明日", "2026-03-06"),
        ("金曜日", "2026-03-06"),
        ("غدا", "2026-03-06"),
        ("завтра", "2026-03-06"),
        ("", ""),
        ("soon", ""),
        ("4/5", ""),
        ("on the 5th", ""),
        ("before 9", ""),
        ("May", ""),
        ("two", ""),
        ("来週の金曜日", ""),
    ],
)
def test_words_name_a_date(words: str, date: str) -> None:
    assert resolved(words, at=WEDNESDAY, time_zone="Europe/Berlin") == date


def test_the_day_is_the_users() -> None:
    assert resolved("tomorrow", at=WEDNESDAY, time_zone="America/New_York") == "2026-03-05"
    assert local_date(WEDNESDAY, "Europe/Berlin") == "2026-03-05"
    assert local_date(WEDNESDAY, "America/New_York") == "2026-03-04"


def test_without_a_time_there_is_no_date() -> None:
    assert resolved("tomorrow", at="", time_zone="UTC") == ""
    assert local_date("", "UTC") == ""
