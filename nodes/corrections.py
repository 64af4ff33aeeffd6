"""Noticing that the user corrects the bot: by rule, and by a model where that is switched on."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel

from nodes.asking import Candidate, ModelError
from nodes.structured import ask_for
from prompts.correction import correction_request
from state.corrections import corrects
from state.said import Said

log = logging.getLogger(__name__)


class Judgement(BaseModel):
    """What the model answers."""

    corrects: bool


class Judges(Protocol):
    """Opens the models that judge."""

    async def extractors(self) -> list[Candidate]:
        """The extract model, then the fallback: the cheap ones."""
        ...


@dataclass(frozen=True, kw_only=True)
class Corrections:
    """Tells whether the user corrects the bot."""

    models: Judges
    judged: Callable[[], bool]
    """Whether a model is asked about the words in which the rule sees nothing."""
    seconds: Callable[[], float]

    async def told(self, said: Said) -> bool:
        """Whether the words of the user say so; without an answer of the model the rule stands."""
        if corrects(said.user):
            return True
        if not self.judged():
            return False
        try:
            judgement = await ask_for(
                Judgement,
                await self.models.extractors(),
                correction_request(said),
                seconds=self.seconds(),
            )
        except ModelError as error:
            log.warning("whether turn %d corrects the bot is not judged: %s", said.turn, error)
            return False
        return judgement.corrects
