"""What a run is to do: kept in its folder, so that a run that broke off can go on."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graph.environment import read_settings
from graph.settings import STAND_IN, Settings

PATIENCE: Mapping[str, Any] = {
    "chroma_timeout": 60.0,
    "extract_deadline": 300.0,
    "compaction_wait": 300.0,
}
"""Deadlines are for people who wait. Here a busy machine must not change what is remembered."""


class PlanError(ValueError):
    """A run cannot begin or go on; the message says why."""


class Plan(BaseModel):
    """What is held, and with what."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    conversations: tuple[str, ...]
    seed: int = 0
    turns: int = 0
    """To how many turns each conversation is stretched; 0: as it is written."""
    model: str = STAND_IN
    """For the record: which model answers."""
    strategies: tuple[str, ...] = ()
    """Which other ways of remembering answer the probes, too."""
    settings: dict[str, str] = Field(default_factory=dict)
    """Settings of the graph that are not as shipped, by field."""


class Kept(BaseModel):
    """The file of a run's folder that says what the run is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    """Names its databases and threads."""
    plan: Plan


def begun(folder: Path, plan: Plan) -> Kept:
    """The run of `folder`: a new one, or the one that broke off there.

    Raises PlanError when another plan was begun there.
    """
    file = folder / "run.json"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        kept = Kept(id=uuid4().hex[:12], plan=plan)
        file.write_text(kept.model_dump_json(indent=1) + "\n", encoding="utf-8")
        return kept
    kept = recalled_run(folder)
    if kept.plan != plan:
        fields = [f for f in Plan.model_fields if getattr(kept.plan, f) != getattr(plan, f)]
        raise PlanError(
            f"{folder} holds another run ({', '.join(fields)} differ): choose another folder, or "
            "remove it"
        )
    return kept


def recalled_run(folder: Path) -> Kept:
    """The run of `folder`. Raises PlanError when none is there."""
    file = folder / "run.json"
    try:
        return Kept.model_validate_json(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PlanError(f"{folder} holds no run") from None
    except ValidationError as error:
        raise PlanError(f"{file}: {error.errors()[0]['msg']}") from None


def graph_settings(plan: Plan, person: Settings, *, model_url: str, database: str) -> Settings:
    """The settings as shipped but for the plan's; of the person's, those of the model count.

    Raises SettingsError.
    """
    names = {"model", "extract_model", "summarise_model", "fallback_model", "embedding_model"}
    names |= {"request_timeout", "turn_timeout"}
    chosen = {name: getattr(person, name) for name in names}
    embeddings = person.embedding_base_url or person.openai_base_url
    values = {**PATIENCE, **chosen, "embedding_base_url": embeddings, **plan.settings}
    return read_settings(
        _env_file=None, OPENAI_BASE_URL=model_url, data=person.data, database=database, **values
    )
