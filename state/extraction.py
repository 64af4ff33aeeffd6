"""Taking what an extractor says of some turns into the facts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from state.actions import Correction, set_by_hand
from state.dates import local_date, resolved
from state.fact_check import Rejected, believed
from state.fact_net import caught
from state.facts import Change, Event, Fact, Facts, merged, ordered
from state.operations import Operation, Operations
from state.said import Said
from state.session import SessionState, SessionUpdate
from state.tokens import count_text
from state.tombstones import NONE, Tombstones, tellable, unburied


@dataclass(frozen=True, kw_only=True)
class Extraction:
    """How far an extraction came, and what it took."""

    time_zone: str
    facts: Facts
    through: int
    """The last turn that was read."""
    corrected: Mapping[int, Sequence[Correction]] = field(default_factory=dict)
    """By turn: what the user put right when asked to confirm an action."""
    events: tuple[Event, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    forgotten: Tombstones = field(default_factory=lambda: NONE)
    """What is not taken again."""

    def after(self, said: Sequence[Said], operations: Operations) -> "Extraction":
        """What is believed of `operations` is taken, then what patterns find, then corrections.

        Slow when words name a date, or something was forgotten: not on an event loop.
        """
        found = believed(operations.facts, said, self._dates)
        told = merged(self.facts, self._kept(found.changes))
        caught_too = caught(said, told.facts, self._dates, found.changes)
        netted = merged(told.facts, self._kept(caught_too))
        right = merged(netted.facts, self._kept(self._by_hand(said, netted.facts)))
        return replace(
            self,
            facts=right.facts,
            through=said[-1].turn,
            events=(*self.events, *told.events, *netted.events, *right.events),
            rejected=(*self.rejected, *tellable(found.rejected, self.forgotten)),
        )

    def _kept(self, changes: list[Change]) -> list[Change]:
        return unburied(changes, self.forgotten)

    def passed_over(self, said: Said) -> "Extraction":
        """Only what patterns find is taken of an exchange that no model will read."""
        passed = Operation(kind="note", value=f"turn {said.turn}")
        reason = "passed over: no model would read it"
        after = self.after([said], Operations())
        return replace(after, rejected=(*after.rejected, Rejected(passed, said.turn, reason)))

    def _by_hand(self, said: Sequence[Said], facts: Facts) -> list[Change]:
        return [
            change
            for each in said
            for change in set_by_hand(
                self.corrected.get(each.turn, ()),
                facts,
                turn=each.turn,
                said=local_date(each.at, self.time_zone),
            )
        ]

    def _dates(self, words: str, said: Said) -> tuple[str, str]:
        about = resolved(words, at=said.at, time_zone=self.time_zone)
        return local_date(said.at, self.time_zone), about


def as_before(facts: Mapping[str, Sequence[Fact]], turn: int, ended: Iterable[Fact]) -> Facts:
    """`facts` as they were after `turn`: an edited exchange is read anew, as it is now.

    What later turns stated goes, what they `ended` stands again; what was set by hand stays.
    """
    kept = {
        kind: [f for f in standing if f["turn"] <= turn or f["found"] == "hand"]
        for kind, standing in facts.items()
    }
    for fact in ended:
        kept.setdefault(fact["kind"], []).append(fact)
    return ordered(kept)


def reopened(state: SessionState, turn: int) -> SessionUpdate:
    """The facts of `state` as they were before exchange `turn`, which is to be answered again.

    Empty when nothing was taken from it yet. Else nobody must be shown, or asked to confirm, what
    only the words said that an edit replaced.
    """
    if state.get("extracted_through", 0) < turn:
        return SessionUpdate()
    facts = as_before(state.get("facts", {}), turn - 1, state.get("ended", []))
    return SessionUpdate(facts=facts, ended=[], extracted_through=turn - 1)


def together(facts: Mapping[str, Sequence[Fact]], more: Iterable[Fact]) -> Facts:
    """`facts` and those of `more` that they do not hold."""
    both = {kind: list(standing) for kind, standing in facts.items()}
    for fact in more:
        standing = both.setdefault(fact["kind"], [])
        if fact not in standing:
            standing.append(fact)
    return ordered(both)


def without_forgotten(pinned: Mapping[str, Sequence[Fact]], events: Iterable[Event]) -> Facts:
    """`pinned` without what was taken back: to forget something is to forget it at once."""
    gone = [e["before"] for e in events if e["event"] == "retracted"]
    return ordered({kind: [f for f in facts if f not in gone] for kind, facts in pinned.items()})


def pieces(said: Sequence[Said], most: int, *, alone: bool) -> list[list[Said]]:
    """`said` in requests of at most `most` tokens of words; one by one when `alone`."""
    grouped: list[list[Said]] = []
    room = 0
    for each in said:
        size = count_text(each.user) + count_text(each.assistant)
        if alone or not grouped or size > room:
            grouped.append([])
            room = most
        grouped[-1].append(each)
        room -= size
    return grouped
