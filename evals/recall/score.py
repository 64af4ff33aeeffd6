"""Evidence recall: what share of a question's evidence was found, and whether any and all was."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from evals.recall.talks import Question
from evals.recall.ways import Ranked, Way

COUNTS = (5, 10)
BUDGETS = (640, 1280, 2560)
CUTS = (*(f"@{count}" for count in COUNTS), *(f"{budget} tokens" for budget in BUDGETS))
OVERALL = "all questions"


@dataclass
class Recall:
    """Sums over questions."""

    questions: int = 0
    share: float = 0.0
    any: int = 0
    all: int = 0

    def add(self, evidence: frozenset[str], found: Collection[str]) -> None:
        """Counts one question."""
        held = len(evidence.intersection(found))
        self.questions += 1
        self.share += held / len(evidence)
        self.any += held > 0
        self.all += held == len(evidence)

    def means(self) -> dict[str, float]:
        """Mean share of the evidence, and shares of questions with any and all of it."""
        count = self.questions or 1
        return {
            "recall": self.share / count,
            "any": self.any / count,
            "all": self.all / count,
        }


@dataclass
class Board:
    """Recall by category, way and cut."""

    recalls: dict[tuple[str, Way, str], Recall] = field(default_factory=lambda: defaultdict(Recall))

    def add(self, question: Question, ways: dict[Way, Ranked], *, counted: bool) -> None:
        """Counts what each way found; in the overall figure too if the question is `counted`."""
        groups = (question.category, *((OVERALL,) if counted else ()))
        for way, ranked in ways.items():
            for cut, found in _cuts(ranked):
                for group in groups:
                    self.recalls[group, way, cut].add(question.evidence, found)

    def categories(self) -> list[str]:
        """The categories, the overall figure first."""
        names = {category for category, _, _ in self.recalls}
        return sorted(names, key=lambda name: (name != OVERALL, name))

    def plain(self) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
        """Category, way, cut, figure: as JSON."""
        out: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
        for (category, way, cut), recall in self.recalls.items():
            out.setdefault(category, {}).setdefault(way, {})[cut] = recall.means()
        return out


def _cuts(ranked: Ranked) -> Iterable[tuple[str, Collection[str]]]:
    for count in COUNTS:
        yield f"@{count}", ranked.keys[:count]
    for budget in BUDGETS:
        yield f"{budget} tokens", ranked.within[budget]
