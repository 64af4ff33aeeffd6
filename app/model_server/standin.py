"""The stand-in: rules in place of a language model, answering from the request alone."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from app.model_server import faults, notes, window
from app.model_server.chat import ChatRequest, Message, text_of
from app.model_server.script import Answer
from app.model_server.steps import Reply, Step, call, text, tool_calls
from app.model_server.told import Told, told

NAME = "stand-in"
INTRODUCTION = (
    "I am the stand-in: a few rules, no language model. Set OPENAI_API_KEY to talk to a real one."
)
PARCEL_TOOL = "look_up_parcel"
REFUND_TOOL = "refund_parcel"
PERSON_TOOL = "hand_over"
LONGEST_ECHO = 200

_PARCEL = re.compile(r"\bLH\d{8}\b", re.IGNORECASE)
_REFUND = re.compile(r"\brefund\b", re.IGNORECASE)
_CORRECTION = re.compile(r"but '(LH\d{8})'\. Call \w+ again")
_PERSON = re.compile(
    r"\b(?:speak|talk|get|want)\b[^.!?]{0,30}\b(?:human|person|agent)\b", re.IGNORECASE
)
_LATE_CONTEXT = re.compile(r"\s*<context>(?:(?!<context>).)*</context>\s*$", re.DOTALL)
_GREETING = re.compile(r"\s*(?:hello|hi|hey|good (?:morning|afternoon|evening))\b", re.IGNORECASE)
_THANKS = re.compile(r"\b(?:thanks|thank you)\b", re.IGNORECASE)


def answer(request: ChatRequest) -> Step:
    """Answer in the role that the request's schema names; none is the conversation itself."""
    role = ROLES.get(request.schema_name)
    if role is None:
        return faults.error(400, f"the stand-in cannot fill the schema {request.schema_name!r}")
    return role(request)


def with_delay(seconds: float) -> Answer:
    """Make an `answer` that waits before each word."""

    def slowly(request: ChatRequest) -> Step:
        step = answer(request)
        return replace(step, delay=seconds) if isinstance(step, Reply) else step

    return slowly


def respond(request: ChatRequest) -> Reply:
    """Look up or refund the parcels that the newest message names, else answer by rule."""
    earlier, newest, turn = _split(request.messages)
    looked_up = _numbers_by_call(turn)
    named = [*_parcels(newest), *_corrected(turn)]
    wanted = [number for number in named if number not in looked_up.values()]
    tool = REFUND_TOOL if _REFUND.search(newest) else PARCEL_TOOL
    if wanted and tool in request.tool_names:
        return tool_calls(*(call(tool, {"number": number}) for number in wanted))
    if _PERSON.search(newest) and not turn and PERSON_TOOL in request.tool_names:
        return tool_calls(call(PERSON_TOOL, {"reason": newest}))
    said = [text_of(message) for message in earlier if message["role"] == "user"]
    words = _tell(turn, looked_up) or _say(newest, said, wanted, told(request.messages))
    introduced = any(message["role"] == "assistant" and text_of(message) for message in earlier)
    return text(words if introduced else f"{INTRODUCTION} {words}")


ROLES: Mapping[str | None, Callable[[ChatRequest], Step]] = {
    None: respond,
    "Changes": notes.summarise,
    "Operations": notes.extract,
}
"""The roles by the name of the schema that their requests ask for."""


def _split(messages: Sequence[Message]) -> tuple[Sequence[Message], str, Sequence[Message]]:
    """Part what came before the newest user message, its words, and this turn's tool use."""
    users = [i for i, message in enumerate(messages) if message["role"] == "user"]
    if not users:
        return messages, "", []
    newest = _LATE_CONTEXT.sub("", text_of(messages[users[-1]]))
    return messages[: users[-1]], newest, messages[users[-1] + 1 :]


def _parcels(words: str) -> list[str]:
    return list(dict.fromkeys(number.upper() for number in _PARCEL.findall(words)))


def _numbers_by_call(turn: Sequence[Message]) -> dict[str, str]:
    """Find the parcel numbers that this turn has looked up, by the id of their call."""
    calls = [made for message in turn for made in message.get("tool_calls") or ()]
    numbers = {made["id"]: _parcels(made["function"]["arguments"]) for made in calls}
    return {call_id: found[0] for call_id, found in numbers.items() if found}


def _corrected(turn: Sequence[Message]) -> list[str]:
    """Find the parcel numbers that the customer put right when asked to confirm a call."""
    results = [text_of(message) for message in turn if message["role"] == "tool"]
    return [number for result in results for number in _CORRECTION.findall(result)]


def _tools_called(turn: Sequence[Message]) -> list[str]:
    made = [made for message in turn for made in message.get("tool_calls") or ()]
    return [each["function"]["name"] for each in made]


def _tell(turn: Sequence[Message], looked_up: Mapping[str, str]) -> str:
    """Put the results of this turn's tools in words; empty if there are none."""
    if any(name == PERSON_TOOL for name in _tools_called(turn)):
        return "A colleague will take over this conversation."
    given = [message for message in turn if message["role"] == "tool"]
    results = [message for message in given if not _CORRECTION.search(text_of(message))]
    return " ".join(_tell_one(each, looked_up.get(each["tool_call_id"])) for each in results)


def _tell_one(result: Message, number: str | None) -> str:
    subject = "The tool says" if number is None else f"Parcel {number}"
    told = _in_words(text_of(result)).strip()
    return f"{subject}: {told}" if told.endswith((".", "!", "?")) else f"{subject}: {told}."


def _in_words(result: str) -> str:
    try:
        parsed = json.loads(result)
    except json.JSONDecodeError:
        return result
    if not isinstance(parsed, dict):
        return result
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in parsed.items())


def _say(newest: str, said: Sequence[str], parcels: Sequence[str], memory: Told) -> str:
    """Answer in words; `said` are the user's earlier messages, oldest first."""
    thing = window.asked_for(newest)
    noted = window.stated(newest)
    if parcels:
        return f"I see the number {', '.join(parcels)}, but I have no tool to look it up."
    if thing is not None:
        return _remember(thing, said, memory)
    if noted:
        return "Noted: " + "; ".join(f"your {key} is {value}" for key, value in noted.items()) + "."
    if _GREETING.match(newest):
        name = window.value_of("name", said) or memory.value_of("name")
        return "Hello! How can I help?" if name is None else f"Hello, {name}! How can I help?"
    if _THANKS.search(newest):
        return "You are welcome."
    return _echo(newest, len(said) + 1)


def _remember(thing: str, said: Sequence[str], memory: Told) -> str:
    value = window.value_of(thing, said) or memory.value_of(thing)
    if value is None:
        seen = f"the {len(said) + 1} messages of yours before me"
        return f"I cannot see your {thing} in {seen}, nor in what I am told of earlier ones."
    if value.startswith("allergic "):
        return f"You are {value}."
    return f"Your {thing} is {value}."


def _echo(newest: str, count: int) -> str:
    flat = " ".join(newest.split())
    cut = flat if len(flat) <= LONGEST_ECHO else flat[:LONGEST_ECHO] + "..."
    messages = "1 message" if count == 1 else f"{count} messages"
    return f'You wrote: "{cut}" I can see {messages} of yours in this request.'
