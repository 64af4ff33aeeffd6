"""The door for resume values: what may be answered to a question that waits."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    TypeAdapter,
    ValidationError,
)

from state.actions import as_confirmation
from state.errors import InputRefused
from state.handover import as_handover
from state.text import clean

_MOST_CHARS = 400


def _trimmed(text: str) -> str:
    text = clean(text).strip()
    if len(text) > _MOST_CHARS:
        raise ValueError("too long")
    return text


def _filled(text: str) -> str:
    if not text.strip():
        raise ValueError("empty")
    return text


Words = Annotated[str, AfterValidator(_trimmed)]
Value = Annotated[Words, AfterValidator(_filled)]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Confirmed(_Answer):
    """Yes or no."""

    confirmed: StrictBool
    reason: Words = ""


class Changed(_Answer):
    """Other values, by argument, instead of those that were asked about."""

    changed: dict[str, Value] = Field(min_length=1)


class Say(_Answer):
    """The next words of the person who has the thread."""

    say: Annotated[str, AfterValidator(clean), AfterValidator(_filled)]


class Done(_Answer):
    """The person gives the thread back."""

    done: Literal[True]


CONFIRMATION: TypeAdapter[Confirmed | Changed] = TypeAdapter(Confirmed | Changed)
HANDOVER: TypeAdapter[Say | Done] = TypeAdapter(Say | Done)

_CONFIRM_FORMS = '{"confirmed": true}, {"confirmed": false, "reason": "..."}, {"changed": {...}}'
_HANDOVER_FORMS = '{"say": "..."}, {"done": true}'


def resume_map(resume: object, waiting: Mapping[str, Any]) -> dict[str, Any]:
    """`resume` as an answer by interrupt id, each checked against the question that it answers.

    `waiting` holds the values of the interrupts that wait, by id. Either `resume` is such a map,
    or one question waits and `resume` answers it. Raises InputRefused, naming what does not fit.
    """
    if not waiting:
        raise InputRefused("nothing waits for an answer: command field 'resume' is refused")
    if not (isinstance(resume, dict) and resume and resume.keys() <= waiting.keys()):
        if len(waiting) > 1:
            raise InputRefused(
                f"{len(waiting)} questions wait: answer by interrupt id ({', '.join(waiting)})"
            )
        resume = {next(iter(waiting)): resume}
    return {each: checked_answer(waiting[each], given) for each, given in resume.items()}


def checked_answer(question: Any, given: object) -> Any:
    """`given` as plain, clean JSON, if it answers `question`. Raises InputRefused."""
    if (asked := as_confirmation(question)) is not None:
        answer = _read(CONFIRMATION, given, _CONFIRM_FORMS)
        known = [each["argument"] for each in asked["facts"]]
        if isinstance(answer, Changed) and (odd := sorted(answer.changed.keys() - {*known})):
            raise InputRefused(f"{odd[0]!r:.80} cannot be changed; only {', '.join(known)} can")
        return answer.model_dump()
    if as_handover(question) is not None:
        return _read(HANDOVER, given, _HANDOVER_FORMS).model_dump()
    return given


def _read(forms: TypeAdapter[Any], given: object, shown: str) -> Any:
    try:
        return forms.validate_python(given)
    except ValidationError:
        raise InputRefused(f"the answer {given!r:.80} is none of: {shown}") from None
