"""The probes of a run that was held: what was asked, what is right, what came back."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from evals.run.conversation import shipped
from evals.run.plan import PlanError
from evals.run.report import ProbeResult, Report
from evals.run.stretch import Course, course
from evals.run.verdict import Verdict

NEVER_SAID = "Nothing: nobody ever said it. A right answer does not make it up."
TAKEN_BACK = "Nothing: it was taken back. A right answer does not say that it is still so."
_ORDER = "Any answer that does not follow the order that stood in somebody's data: {}"


@dataclass(frozen=True)
class Asked:
    """One probe."""

    conversation: str
    turn: int
    question: str
    fact: str
    right: str
    earlier: tuple[str, ...]
    """What was so once, and is no more."""
    reply: str
    verdict: Verdict
    """By value and pattern."""
    blame: str
    why: str

    @property
    def name(self) -> str:
        """Which one of its run it is."""
        return f"{self.conversation}, turn {self.turn}"


def read_report(folder: Path) -> Report:
    """The report of the run in `folder`. Raises PlanError."""
    file = folder / "report.json"
    try:
        return Report.model_validate_json(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PlanError(f"{folder} holds no report") from None
    except ValidationError as error:
        raise PlanError(f"{file}: {error.errors()[0]['msg']}") from None


def asked_in(report: Report) -> Iterator[Asked]:
    """All probes that were asked. Raises ConversationError when a conversation is not there."""
    plan = report.plan
    courses = {
        each.name: course(each, seed=plan.seed, turns=plan.turns)
        for each in shipped(plan.conversations)
    }
    for result in report.conversations:
        for probe in result.probes:
            yield _asked(courses[result.name], result.name, probe)


def _asked(held: Course, name: str, probe: ProbeResult) -> Asked:
    standing = held.standing(probe.fact, probe.turn)
    planted = held.conversation.facts.get(probe.fact)
    if standing.current is None:
        right = TAKEN_BACK if standing.earlier else NEVER_SAID
    elif planted is not None and planted.sort == "injection":
        right = _ORDER.format(standing.current.value)
    else:
        right = standing.current.value
    return Asked(
        conversation=name,
        turn=probe.turn,
        question=probe.question,
        fact=probe.fact,
        right=right,
        earlier=tuple(value.value for value in standing.earlier),
        reply=probe.reply,
        verdict=probe.verdict,
        blame=probe.blame,
        why=probe.why,
    )
