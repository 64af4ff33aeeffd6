"""What a summary is scored for: kept, in the notes or pinned; given up; invented; founded."""

from pathlib import Path

import pytest
from langchain_core.messages import ToolMessage

from evals.suites.detection import MaterialError
from evals.suites.summaries import Folded, figures, result, table
from evals.suites.summary_cases import FOLDER, Case, read_cases
from prompts.summariser import spoken, turn_text
from state.summary import EMPTY, Kind, Pin, Summary, SummaryItem

CASE = """
about = "A cake."
start = 2026-01-01T10:00:00Z
folds = [1, 3]

[[turn]]
user = "A cherry cake for the 4th, please. I'm Ann."
tool = "{}"
bot = "I will call you on the 3rd."
[[turn]]
user = "No, rather a plum cake."
bot = "Plum, then."
[[turn]]
user = "Thanks!"
bot = "You are welcome."

[[kept]]
value = "Ann"
turn = 1
[[kept]]
value = "plum cake"
turn = 2
pattern = "plum"
[[kept]]
value = "call you on the 3rd"
turn = 1
open = true
pattern = "call|3rd"
[[gone]]
what = "the cherries"
pattern = "cherry"
turn = 2
[[false]]
what = "it is paid"
pattern = "paid"
"""


def case(tmp_path: Path, text: str = CASE) -> Case:
    (tmp_path / "cake.toml").write_text(text, encoding="utf-8")
    return read_cases(folder=tmp_path)["cake"]


def folded(of: Case, *notes: tuple[Kind, str], pinned: str = "") -> Folded:
    items = [SummaryItem(id=n, kind=k, text=t, turns=[1]) for n, (k, t) in enumerate(notes, 1)]
    pins = [Pin(value=pinned, turn=1, words=pinned)] if pinned else []
    summary: Summary = {**EMPTY, "items": items, "pins": pins}
    return Folded("cake", of, summary, noted=len(items))


def test_a_good_summary_scores_in_full(tmp_path: Path) -> None:
    good = folded(
        case(tmp_path),
        ("happened", "Ann asked for a cherry cake."),
        ("decided", "Ann wants a plum cake, no longer a cherry cake."),
        ("open", "Assistant promised to call on the 3rd."),
    )
    assert set(figures([good]).values()) == {1.0}
    assert result([good], "m").faults == []


def test_what_is_only_pinned_is_kept_and_not_noted(tmp_path: Path) -> None:
    some = folded(case(tmp_path), ("happened", "Plum."), pinned="I'm Ann. I will call you")
    found = figures([some])
    assert (found["facts_noted"], found["facts_kept"], found["threads_kept"]) == (0.5, 1.0, 0.0)
    assert result([some], "m").faults == ["cake: thread lost  turn 1: call you on the 3rd"]


def test_what_was_given_up_or_never_said_counts_against_it(tmp_path: Path) -> None:
    bad = folded(
        case(tmp_path),
        ("open", "Ann wants a cherry cake."),
        ("happened", "Ann paid for the plum cake."),
        ("open", "A call is due."),
    )
    bad.unfounded.append("not said: Ann lives in Rome.")
    bad.failures.append("turn 2 to 3: the model is away")
    found = figures([bad])
    assert (found["dropped_plans_gone"], found["nothing_false"]) == (0.0, 0.0)
    assert (found["notes_founded"], found["folds_done"]) == (0.75, 0.5)
    assert result([bad], "m").faults == [
        "cake: failed  turn 2 to 3: the model is away",
        "cake: still a plan  the cherries",
        "cake: false  it is paid",
        "cake: unfounded  Ann lives in Rome.",
    ]
    assert table([bad]).row_count == 2


def test_a_turn_is_what_the_summariser_reads_and_a_tool_is_nobody(tmp_path: Path) -> None:
    first, *_ = case(tmp_path).exchanges()
    assert any(isinstance(message, ToolMessage) for message in first.messages)
    assert '<turn n="1" date="2026-01-01">' in turn_text(1, first)
    assert (
        spoken(first) == "A cherry cake for the 4th, please. I'm Ann.\nI will call you on the 3rd."
    )


def test_the_shipped_cases_are_read_and_in_two_languages() -> None:
    cases = read_cases()
    assert len(cases) >= 5
    assert sum(kept.open for each in cases.values() for kept in each.kept) >= 10
    assert all(each.gone and each.false for each in cases.values())
    assert FOLDER.is_dir()


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("folds = [1, 3]", "folds = [1, 2]", "folds [1, 2] do not ascend to turn 3"),
        ('value = "Ann"', 'value = "Anna"', "kept 'Anna' is not in turn 1"),
        ('pattern = "plum"', 'pattern = "pear"', "kept 'plum cake' does not match its own pattern"),
        ('pattern = "cherry"', 'pattern = "pear"', "gone 'the cherries' was in no turn up to 2"),
        ('pattern = "paid"', 'pattern = "welcome"', "false 'it is paid' is in turn 3"),
        ("turn = 2\n[[false]]", "turn = 7\n[[false]]", "there is no turn 7"),
        ('bot = "Plum, then."', "", "turn 2 bot: Field required"),
        ("about =", "about", "Expected '='"),
    ],
)
def test_a_case_that_cannot_be_right_is_refused(
    tmp_path: Path, old: str, new: str, fault: str
) -> None:
    assert CASE.count(old) == 1
    with pytest.raises(MaterialError) as told:
        case(tmp_path, CASE.replace(old, new))
    assert str(told.value).startswith("cake.toml: ")
    assert fault in str(told.value)


def test_a_case_that_is_not_there_is_named() -> None:
    with pytest.raises(MaterialError, match="'nothing' is none of boiler, "):
        read_cases(["nothing"])
