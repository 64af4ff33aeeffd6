"""Which part lost a fact: read from where it stood, turn by turn, up to the probe."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evals.run.records import Asked, TurnRecord
from evals.run.stretch import Course, Standing
from evals.run.verdict import Verdict

Part = Literal["model", "extractor", "merge", "summary", "search", "window", "archive"]

_MEMORY = ("window", "summary", "facts")
_ACCEPTED = {"stated", "changed", "again", "conflict"}


@dataclass(frozen=True)
class Blame:
    """A part, and what it did."""

    part: Part
    why: str


@dataclass(frozen=True)
class _Case:
    """A probe that was not answered."""

    fact: str
    verdict: Verdict
    standing: Standing
    record: TurnRecord
    asked: Asked
    records: Sequence[TurnRecord]

    def is_in(self, place: str) -> bool:
        return place in self.record.current.get(self.fact, ())

    @property
    def holds_old(self) -> bool:
        """Whether the facts say what is no longer so, and not what is."""
        old = "facts" in self.record.earlier.get(self.fact, ())
        return self.verdict == "stale value" and old and not self.is_in("facts")


def blame(course: Course, records: Sequence[TurnRecord], verdict: Verdict) -> Blame | None:
    """Who is to blame for `verdict` on the probe of the last of `records`; None if it is right."""
    record = records[-1]
    probe = course.turns[record.turn - 1].probe
    if verdict == "answered" or probe is None or record.asked is None:
        return None
    if not probe.fact:
        return Blame("model", "nobody ever said it")
    standing = course.standing(probe.fact, record.turn)
    case = _Case(probe.fact, verdict, standing, record, record.asked, records)
    if case.holds_old:
        return _of_facts(case)
    if standing.current is None:
        return Blame("model", "it was taken back, and the facts do not hold it")
    if case.is_in("request"):
        return Blame("model", "it was in the request and was not used")
    return _lost(course, case)


def vanished(records: Sequence[TurnRecord], fact: str, since: int) -> TurnRecord | None:
    """The turn after which window, summary and facts no longer hold what was said in `since`.

    None if one of them does at the end, or none ever did.
    """
    held = [r for r in records[since - 1 :] if any(p in r.current.get(fact, ()) for p in _MEMORY)]
    if not held or held[-1] is records[-1]:
        return None
    return records[held[-1].turn]


def _lost(course: Course, case: _Case) -> Blame:
    """What the request did not hold."""
    if case.is_in("facts"):
        return Blame("search", "it is in the facts and was not chosen for the request")
    if case.is_in("summary") or case.is_in("window"):
        return Blame("window", "it is in the window or the summary and was left out of the request")
    if case.standing.since > case.record.through:
        turn = case.standing.since
        return Blame("window", f"turn {turn} left the window before a summary covered it")
    if not case.is_in("archive"):
        return Blame("archive", f"the transcript does not hold turn {case.standing.since}")
    match course.conversation.facts[case.fact].home:
        case "facts":
            return _of_facts(case)
        case "summary":
            return Blame("summary", _gone(case))
        case "archive":
            why = "found other turns" if case.asked.recalled else "found nothing"
            said = f"the search {why}" if case.asked.searched else "nobody searched"
            return Blame("search", f"{_gone(case)}; {said}")


def _of_facts(case: _Case) -> Blame:
    """The facts do not hold what stands: it never got there, or it did not stay."""
    current = case.standing.current
    if current is None:
        ends = {"retracted", "unmet"} & {each.event for each in case.asked.log}
        part: Part = "merge" if ends else "extractor"
        return Blame(part, "the facts hold what was taken back")
    events = {
        e.event.removesuffix(" by pattern") for e in case.asked.log if current.stands_in(e.value)
    }
    if events & _ACCEPTED:
        return Blame("merge", f"it was stated as a fact and did not stay; {_gone(case)}")
    why = "its evidence was not believed" if "rejected" in events else "it was never extracted"
    return Blame("extractor", f"{why}; {_gone(case)}")


def _gone(case: _Case) -> str:
    at = vanished(case.records, case.fact, case.standing.since)
    if at is None:
        return "no part of the memory ever held it"
    before = case.records[at.turn - 2].version
    if at.version == before:
        return f"vanished in turn {at.turn}, without a compaction"
    return f"vanished at compaction {at.version}, in turn {at.turn}"
