"""What a terminal of 80 columns shows of the review and the statistics."""

from io import StringIO

from rich.console import Console
from rich.table import Table

from app import review, stats
from state.review import Entry

ENTRY = Entry(
    week="2026-06-01",
    thread="0123456789",
    at="2026-06-01T10:00:00+00:00",
    turn=12,
    event="changed",
    kind="address",
    value="3 Bay St, Hull\x1b[31m [bold]",
    before="12 Hill Rd, Leeds",
    by="user",
    quote="I moved to 3 Bay St, Hull, since the old house was sold in the spring",
    reason="",
)


def printed(width: int, *, apart: bool = True) -> str:
    out = StringIO()
    review.show([ENTRY], Console(file=out, width=width), apart=apart)
    return out.getvalue()


def test_a_narrow_review_is_a_list_and_a_wide_one_a_table() -> None:
    told = printed(80).split("\n")
    assert told[:4] == [
        "Week 2026-06-01",
        "01234567  2026-06-01  t12  changed",
        "  address: 3 Bay St, Hull[31m [bold] (before: 12 Hill Rd, Leeds)",
        "  I moved to 3 Bay St, Hull, since the old house was sold in the spring",
    ]
    assert "│" in printed(160)
    assert "01234567" not in printed(80, apart=False)


def test_narrow_statistics_have_a_column_a_release() -> None:
    table = Table("release", "turns", "cached", title="T")
    table.add_row("one", "1", "10%")
    table.add_row("two", "2", "20%")
    other = stats.turned(table)
    assert [str(column.header) for column in other.columns] == ["", "one", "two"]
    assert [list(column.cells) for column in other.columns] == [
        ["turns", "cached"],
        ["1", "10%"],
        ["2", "20%"],
    ]
