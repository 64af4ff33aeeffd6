"""What a run may say about itself: the form that Studio draws."""

from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, config=ConfigDict(extra="ignore"))
class Context:
    """The choices of one run. Every field has a default; a signed-in user overrides `user`."""

    user: Annotated[
        str,
        Field(
            title="User",
            description="Who is talking, when nobody is signed in. Empty: the thread owns itself.",
            max_length=200,
        ),
    ] = ""
    persona: Annotated[
        str,
        Field(
            title="Persona", description="A file of prompts/personas, by name. Empty: the default."
        ),
    ] = ""
    model: Annotated[
        str,
        Field(
            title="Model",
            description="Which of the configured models writes this turn. Empty: the default.",
        ),
    ] = ""
    time_zone: Annotated[
        str,
        Field(
            title="Time zone",
            description="The user's time zone, such as Europe/Berlin. Empty: the default.",
        ),
    ] = ""
