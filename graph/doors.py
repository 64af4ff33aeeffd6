"""What every door checks: ids, the run's context, and a command, before anything is read or run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command
from pydantic import ValidationError

from graph.settings import Settings
from prompts.files import system_prompt
from state.context import Context
from state.errors import InputRefused
from state.text import MAX_DEPTH, clean_json, storable_id, too_deep

_INTERNAL = "__pregel_"
_SET_BY_THE_SERVER = frozenset({"__pregel_node_finished", "__pregel_stream_messages_v2"})


@dataclass(frozen=True, kw_only=True)
class Doors:
    """What the checks need to know."""

    settings: Callable[[], Settings]
    clock: Callable[[], datetime]
    new_id: Callable[[], str]
    served: bool = False
    """Whether they are a server's, to which users may have to sign in."""

    def chosen(self, context: Any) -> Context:
        """`context` as `chosen_context` completes it; where users sign in it names none."""
        settings = self.settings()
        chosen = chosen_context(context, settings)
        return replace(chosen, user="") if self.served and settings.signs_in else chosen


def checked_thread(config: RunnableConfig) -> str:
    """The thread's id. Raises InputRefused for what addresses no checkpoint of this graph."""
    configurable = config.get("configurable", {})
    for name in configurable:
        if name.startswith(_INTERNAL) and name not in _SET_BY_THE_SERVER:
            raise InputRefused(f"config field {name!r:.80} cannot be set")
    thread = str(configurable.get("thread_id", ""))
    if thread and not storable_id(thread):
        raise InputRefused(f"thread id {thread!r:.80} cannot be stored")
    _check_checkpoint(configurable)
    return thread


def _check_checkpoint(configurable: Mapping[str, Any]) -> None:
    for name in ("checkpoint_ns", "checkpoint_map"):
        if given := configurable.get(name):
            raise InputRefused(f"{name} {given!r:.80} was refused: this graph has no subgraphs")
    if checkpoint := configurable.get("checkpoint_id"):
        try:
            UUID(str(checkpoint))
        except ValueError:
            raise InputRefused(f"checkpoint id {checkpoint!r:.80} is not a UUID") from None


def resume_only(command: Command[Any], limit: int) -> Command[Any]:
    """`command`, if all it does is resume, with a value of at most `limit` characters of JSON."""
    if command.update or command.goto:
        raise InputRefused("a command may only resume: 'update' and 'goto' are refused")
    if command.resume is None:
        raise InputRefused("command field 'resume' is empty")
    if too_deep(command.resume):
        raise InputRefused(f"command field 'resume' is nested deeper than {MAX_DEPTH} levels")
    value = clean_json(command.resume)
    if (size := len(repr(value))) > limit:
        raise InputRefused(
            f"command field 'resume' has {size} characters; at most {limit} "
            "(LONGHAUL_MAX_MESSAGE_CHARS)"
        )
    return Command(resume=value)


def given_context(given: dict[str, Any]) -> Context:
    """The context that `given` makes. Raises InputRefused."""
    try:
        return Context(**given)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputRefused(
            f"context field {first['loc'][0]!r} = {first['input']!r:.80}: {first['msg']}"
        ) from None


def chosen_context(given: Any, settings: Settings) -> Context:
    """The run's context, what it leaves out filled in. Reads files: not on an event loop."""
    asked = given_context(given) if isinstance(given, dict) else given or Context()
    chosen = Context(
        user=asked.user,
        persona=asked.persona or settings.persona,
        model=asked.model or settings.default_model,
        time_zone=asked.time_zone or settings.time_zone,
    )
    if chosen.user and not storable_id(chosen.user):
        raise InputRefused(f"context field 'user' = {chosen.user!r:.80} cannot be stored")
    if chosen.model not in settings.choices:
        raise InputRefused(
            f"context field 'model' = {chosen.model!r:.80} is not one of "
            f"{', '.join(settings.choices)} (LONGHAUL_MODELS)"
        )
    system_prompt(chosen.persona)
    try:
        ZoneInfo(chosen.time_zone)
    except (OSError, ValueError, KeyError):
        raise InputRefused(
            f"context field 'time_zone' = {chosen.time_zone!r:.80} is not a time zone"
        ) from None
    return chosen
