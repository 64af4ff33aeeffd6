"""What a run must reach to pass: a file of shares, and what falls short of it."""

import tomllib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evals.run.plan import PlanError
from evals.run.report import Report


class Thresholds(BaseModel):
    """Shares of all probes, from 0 to 1."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    answered: float = Field(0.0, ge=0, le=1)
    told: float = Field(0.0, ge=0, le=1)
    """Probes whose answer was in the request, of those that have one."""
    most_stale: float = Field(1.0, ge=0, le=1)
    """Probes that got a value which stands no more."""
    most_invented: float = Field(1.0, ge=0, le=1)


def read_thresholds(path: Path) -> Thresholds:
    """The file's table `run`; the others are of suites. Raises PlanError."""
    try:
        return Thresholds.model_validate(tomllib.loads(path.read_text(encoding="utf-8"))["run"])
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise PlanError(f"{path}: {error}") from None
    except KeyError:
        raise PlanError(f"{path}: there is no table [run]") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = " ".join(map(str, first["loc"]))
        raise PlanError(f"{path}: {place}: {first['msg']}") from None


def missed(report: Report, wanted: Thresholds) -> list[str]:
    """What falls short, a line each; also that a conversation was not held to its end."""
    probes = [probe for result in report.conversations for probe in result.probes]
    answered = _share(report.verdicts.get("answered", 0), len(probes))
    answers = [probe.told for probe in probes if probe.told is not None]
    told = _share(sum(answers), len(answers))
    stale = _share(report.verdicts.get("stale value", 0), len(probes))
    invented = _share(report.verdicts.get("invented", 0), len(probes))
    lines = [
        (answered < wanted.answered, f"answered: {answered:.2f}, wanted {wanted.answered:.2f}"),
        (told < wanted.told, f"told: {told:.2f}, wanted {wanted.told:.2f}"),
        (stale > wanted.most_stale, f"stale: {stale:.2f}, at most {wanted.most_stale:.2f}"),
        (
            invented > wanted.most_invented,
            f"invented: {invented:.2f}, at most {wanted.most_invented:.2f}",
        ),
    ]
    short = [line for fails, line in lines if fails]
    short += [f"{r.name}: {r.held} of {r.turns} turns" for r in report.conversations if r.stopped]
    return short


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
