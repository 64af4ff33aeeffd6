"""What an extractor returns: anything that is JSON, for a machine checks it afterwards."""

from typing import Annotated, Any, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from state.catalogue import KINDS
from state.facts import Act

_LONGEST = 4000


def _as_text(value: object) -> str:
    return str(value)[:_LONGEST] if isinstance(value, str | int | float) else ""


def _as_number(value: object) -> int:
    return int(value) if isinstance(value, int | str) and str(value).isdecimal() else 0


Text = Annotated[str, BeforeValidator(_as_text)]


class Operation(BaseModel):
    """What the extractor says of one fact."""

    model_config = ConfigDict(extra="ignore")

    act: Text = "state"
    kind: Text = ""
    value: Text = ""
    quote: Text = ""
    turn: Annotated[int, BeforeValidator(_as_number)] = 0
    old: Text = ""
    when: Text = ""
    """The words that name a date."""
    answers: Text = ""
    """The assistant's words that a mere "yes" confirms."""


def _objects(value: object) -> list[object]:
    listed = value if isinstance(value, list) else []
    return [each for each in listed if isinstance(each, dict | Operation)]


class Operations(BaseModel):
    """What an extractor returns."""

    model_config = ConfigDict(extra="ignore")

    facts: Annotated[list[Operation], BeforeValidator(_objects)] = Field(default_factory=list)


def operations_schema() -> dict[str, Any]:
    """What a server is told of `Operations`: the closed sets, and what may not be left out."""
    text = {"type": "string"}
    fields: dict[str, Any] = {
        "kind": {"enum": list(KINDS)},
        "value": text,
        "quote": text,
        "turn": {"type": "integer"},
        "act": {"enum": list(get_args(Act))},
        "old": text,
        "when": text,
        "answers": text,
    }
    fact = {
        "type": "object",
        "properties": fields,
        "required": ["kind", "value", "quote", "turn"],
    }
    return {
        "type": "object",
        "properties": {"facts": {"type": "array", "items": fact}},
        "required": ["facts"],
    }
