"""Taking a forgotten fact out of the state of a conversation, and out of anything made of it."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage
from langgraph.types import Interrupt, Send

from state.exchanges import group, open_calls
from state.fact_budget import flat
from state.facts import Fact, Facts, ordered
from state.recalled import Passage, Recalled
from state.redaction import MARK, Redactor
from state.session import SessionState
from state.summary import EMPTY, Pin, Summary, SummaryItem
from state.tombstones import Tombstones

_ADDRESSES = frozenset(
    [
        *("id", "ids", "key", "call", "tool_call_id", "thread", "thread_id", "run", "run_id"),
        *(
            "checkpoint_id",
            "task_id",
            "action",
            "after",
            "image_url",
            "malformed_calls",
            "usage_metadata",
        ),
    ]
)
"""Keys whose values address something, or count it: nobody said them."""
_WORDLESS = frozenset(
    [
        *("turn", "at", "archived_through", "transcript", "memory_version", "spilled"),
        *("spilled_in", "extracted_through", "extraction_refused", "usage", "counts"),
        *("schema_version", "last_seen", "forgotten"),
    ]
)
"""Fields of the state that hold no words."""
_WORD = re.compile(r"\w+")
_FEWEST = 3
"""Words that a note has to keep to be worth keeping."""


def without(state: SessionState, redactor: Redactor) -> SessionState:
    """`state` without what `redactor` hides; what else a checkpoint holds beside it, too."""
    first = state.get("summary", EMPTY)["through"] + 1
    by_field: dict[str, Callable[[Any], Any]] = {
        "messages": lambda messages: window_without(messages, first, redactor),
        "summary": lambda summary: summary_without(summary, redactor),
        "facts": lambda facts: facts_without(facts, redactor),
        "pinned": lambda facts: facts_without(facts, redactor),
        "ended": lambda facts: _facts(facts, redactor),
        "recalled": lambda recalled: _recalled(recalled, redactor),
    }
    found = {
        name: by_field.get(name, lambda other: anything_without(other, redactor))(value)
        for name, value in state.items()
        if name not in _WORDLESS
    }
    return cast("SessionState", {**state, **found})


def forgot(state: SessionState, redactor: Redactor, tombstones: Tombstones) -> SessionState:
    """`state` without it, marked so that what began before no longer fits."""
    after = without(state, redactor)
    after["forgotten"] = tombstones
    after["memory_version"] = state.get("memory_version", 0) + 1
    return after


def waits_for_it(state: SessionState, redactor: Redactor) -> bool:
    """Whether a tool call without a result depends on the value: it would run without it."""
    messages = state.get("messages", [])
    if not messages:
        return False
    newest = group(messages)[-1]
    waiting = set(open_calls(newest))
    replies = [m for m in newest.messages if isinstance(m, AIMessage)]
    calls = [call for reply in replies for call in reply.tool_calls if call["id"] in waiting]
    return any(_arguments(call["args"], redactor) != call["args"] for call in calls)


def facts_stated(state: SessionState) -> list[Fact]:
    """Every fact that `state` holds anywhere."""
    every = [*flat(state.get("facts", {})), *flat(state.get("pinned", {})), *state.get("ended", [])]
    return [fact for at, fact in enumerate(every) if fact not in every[:at]]


def facts_without(facts: Mapping[str, Sequence[Fact]], redactor: Redactor) -> Facts:
    """`facts` without those that state it; the others do not mention it."""
    return ordered({kind: _facts(standing, redactor) for kind, standing in facts.items()})


def fact_without(fact: Fact, redactor: Redactor) -> Fact | None:
    """`fact` without a mention of it; None when there is nothing else to it."""
    if redactor.is_it(fact["kind"], fact["value"]):
        return None
    near = redactor.is_near(fact["turn"])
    left = fact.copy()
    left["value"] = redactor.hidden(fact["value"])
    left["quote"] = redactor.hidden(fact["quote"], near=near)
    was = redactor.is_it(fact["kind"], fact["was"]) or redactor.holds(fact["was"])
    left["was"] = "" if was else fact["was"]
    says_something = any(sign.isalnum() for sign in left["value"].replace(MARK, ""))
    return left if says_something else None


def window_without(
    messages: Sequence[AnyMessage], first: int, redactor: Redactor
) -> list[AnyMessage]:
    """`messages`, the first of which is of turn `first`, each with its id."""
    return [
        cast("AnyMessage", message_without(message, redactor, near=redactor.is_near(turn)))
        for turn, exchange in enumerate(group(messages), first)
        for message in exchange.messages
    ]


def message_without(message: BaseMessage, redactor: Redactor, *, near: bool) -> BaseMessage:
    """`message` with the mark where its words, or the arguments of its calls, hold it."""
    update: dict[str, Any] = {
        "content": anything_without(message.content, redactor, near=near),
        "additional_kwargs": anything_without(message.additional_kwargs, redactor, near=near),
    }
    if isinstance(message, AIMessage):
        calls = [
            {**c, "args": _arguments(c["args"], redactor, near=near)} for c in message.tool_calls
        ]
        broken = anything_without(message.invalid_tool_calls, redactor, near=near)
        update |= {"tool_calls": calls, "invalid_tool_calls": broken}
    changes = {name: value for name, value in update.items() if getattr(message, name) != value}
    return message.model_copy(update=changes) if changes else message


def summary_without(summary: Summary, redactor: Redactor) -> Summary:
    """`summary`: its notes reworded, or dropped when little is left of them."""
    items = [left for item in summary["items"] if (left := _item(item, redactor)) is not None]
    pins = [kept for pin in summary["pins"] if (kept := _pin(pin, redactor)) is not None]
    return {**summary, "items": items, "pins": pins}


def anything_without(value: Any, redactor: Redactor, *, near: bool = False) -> Any:
    """Lists, objects, messages and tasks with every text in them gone through.

    A fact in a list that states it goes.
    """
    match value:
        case str():
            return redactor.hidden(value, near=near)
        case dict():
            return _object(value, redactor, near=near)
        case list() | tuple():
            left = [each for each in value if not (_is_fact(each) and _gone(each, redactor))]
            return type(value)(anything_without(each, redactor, near=near) for each in left)
        case BaseMessage():
            return message_without(value, redactor, near=near)
        case Send():
            arg = anything_without(value.arg, redactor, near=near)
            return Send(value.node, arg, timeout=value.timeout)
        case Interrupt():
            asked = anything_without(value.value, redactor, near=near)
            return Interrupt(asked, value.id, response_schema=value.response_schema)
        case _:
            return value


def _object(value: dict[str, Any], redactor: Redactor, *, near: bool) -> dict[str, Any]:
    if _is_fact(value) and (fact := fact_without(cast("Fact", value), redactor)) is not None:
        return {**value, **fact}
    turn = value.get("turn")
    near = near or (isinstance(turn, int) and redactor.is_near(turn))
    return {name: _field(name, each, redactor, near=near) for name, each in value.items()}


def _field(name: str, value: Any, redactor: Redactor, *, near: bool) -> Any:
    if name in _ADDRESSES:
        return value
    if name == "args":
        return _arguments(value, redactor, near=near)
    return anything_without(value, redactor, near=near)


def _arguments(value: Any, redactor: Redactor, *, near: bool = False) -> Any:
    """Arguments of a tool: here a number says something as well."""
    match value:
        case dict():
            return {name: _arguments(each, redactor, near=near) for name, each in value.items()}
        case list() | tuple():
            return [_arguments(each, redactor, near=near) for each in value]
        case int() | float() if redactor.holds(str(value), near=near):
            return MARK
        case _:
            return anything_without(value, redactor, near=near)


def _is_fact(value: Any) -> bool:
    return isinstance(value, dict) and Fact.__required_keys__ <= value.keys()


def _gone(fact: Any, redactor: Redactor) -> bool:
    return fact_without(cast("Fact", fact), redactor) is None


def _facts(facts: Sequence[Fact], redactor: Redactor) -> list[Fact]:
    return [left for fact in facts if (left := fact_without(fact, redactor)) is not None]


def _item(item: SummaryItem, redactor: Redactor) -> SummaryItem | None:
    text = redactor.hidden(item["text"], near=redactor.is_near(*item["turns"]))
    if text == item["text"]:
        return item
    return {**item, "text": text} if len(_WORD.findall(text.replace(MARK, ""))) >= _FEWEST else None


def _pin(pin: Pin, redactor: Redactor) -> Pin | None:
    near = redactor.is_near(pin["turn"])
    if redactor.holds(pin["value"], near=near):
        return None
    return {**pin, "words": redactor.hidden(pin["words"], near=near)}


def _recalled(recalled: Recalled, redactor: Redactor) -> Recalled:
    passages: list[Passage] = anything_without(recalled["passages"], redactor)
    sought = "" if redactor.holds(recalled["sought"], near=True) else recalled["sought"]
    reason = redactor.hidden(recalled["reason"])
    return {**recalled, "passages": passages, "sought": sought, "reason": reason}
