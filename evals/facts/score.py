"""How right the pinned facts are: as the model said, after the evidence check, with the net."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal, get_args

from evals.facts.cases import Case, Told, tells
from evals.suites.result import share
from state.catalogue import KINDS
from state.extraction import Extraction
from state.fact_budget import flat
from state.fact_check import believed, change
from state.facts import Act, Fact, Facts, merged
from state.operations import Operations
from state.quoting import stands_in
from state.said import Said

Stage = Literal["as the model said", "after the evidence check", "with the net"]


@dataclass
class Score:
    """Counts over all exchanges at one stage."""

    right: int = 0
    wrong: list[str] = field(default_factory=list)
    """Facts that should not stand, with the exchange's id."""
    missed: list[str] = field(default_factory=list)
    """Facts that should stand and do not."""
    identifiers: int = 0
    """Identifiers that should stand."""
    identifiers_missed: int = 0

    @property
    def precision(self) -> float:
        """Share of what stands that should; 1 when nothing stands."""
        return share(self.right, self.right + len(self.wrong))

    @property
    def recall(self) -> float:
        """Share of what should stand that does; 1 when nothing should."""
        return share(self.right, self.right + len(self.missed))

    @property
    def identifier_recall(self) -> float:
        """The same of identifiers."""
        return share(self.identifiers - self.identifiers_missed, self.identifiers)

    def add(self, case: Case, facts: Facts) -> None:
        """Counts what stands after `case`."""
        standing = flat(facts)
        for told in case.wanted:
            found = any(tells(told, fact) for fact in standing)
            self.right += found
            if not found:
                self.missed.append(f"{case.id}: {told[0]} {told[1]}")
            if KINDS[told[0]].exact:
                self.identifiers += 1
                self.identifiers_missed += not found
        extra = [fact for fact in standing if not _allowed(fact, [*case.wanted, *case.maybe])]
        self.wrong += [f"{case.id}: {fact['kind']} {fact['value']}" for fact in extra]


def scored(answers: Iterable[tuple[Case, Operations]]) -> dict[Stage, Score]:
    """The scores of what an extractor said of each exchange, stage by stage."""
    stages: dict[Stage, Callable[[Case, Operations], Facts]] = {
        "as the model said": _unchecked,
        "after the evidence check": _checked,
        "with the net": _netted,
    }
    scores = {stage: Score() for stage in stages}
    for case, operations in answers:
        for stage, facts_after in stages.items():
            scores[stage].add(case, facts_after(case, operations))
    return scores


def attribution(answers: Iterable[tuple[Case, Operations]]) -> float:
    """Share of what was said by one of the two that is given as a fact of that one's kind.

    As the model said; a quote that nobody said is wrong for another reason, and does not count.
    """
    right = wrong = 0
    for case, operations in answers:
        for each in operations.facts:
            if (kind := KINDS.get(each.kind)) is None:
                continue
            quote = each.quote or each.value
            own = stands_in(quote, case.said.words(kind.by))
            right += own
            wrong += not own and stands_in(quote, f"{case.user}\n{case.assistant}\n{case.before}")
    return share(right, right + wrong)


def _unchecked(case: Case, operations: Operations) -> Facts:
    known = [o for o in operations.facts if o.kind in KINDS and o.act in get_args(Act)]
    return merged(case.standing, [change(each, case.said, _undated) for each in known]).facts


def _checked(case: Case, operations: Operations) -> Facts:
    return merged(case.standing, believed(operations.facts, [case.said], _undated).changes).facts


def _netted(case: Case, operations: Operations) -> Facts:
    start = Extraction(time_zone="UTC", facts=case.standing, through=case.said.turn - 1)
    return start.after([case.said], operations).facts


def _allowed(fact: Fact, right: Iterable[Told]) -> bool:
    """Whether a fact is right, or judged: what somebody feels has no right answer here."""
    return bool(KINDS[fact["kind"]].choices) or any(tells(told, fact) for told in right)


def _undated(_words: str, _said: Said) -> tuple[str, str]:
    return "", ""
