"""What must hold of every request for a reply."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage, HumanMessage, convert_to_openai_messages

from app.model_server.validator import violations
from prompts.markup import CUT
from state.exchanges import Exchange, group
from state.tokens import count_messages

CODE = re.compile(r"K\d{4}")
"""What each message of the user begins with: no two the same."""
_CUT_MARK = CUT.strip().partition(" the middle")[0]
_FEW = 4
"""With a window of no more than a fourth of the budget nothing is left out."""


@dataclass(frozen=True)
class Expected:
    """The whole branch that the request is of, and the room that there is."""

    branches: Sequence[Sequence[Exchange]]
    """One, or two: a reply that was stopped may have joined it or not."""
    budget: int
    """Tokens of all that is sent, without tools and reply."""


def check_request(
    messages: Sequence[BaseMessage], known: Mapping[str, Expected], *, halved: bool
) -> list[str]:
    """What is wrong with a request; `halved` for one that follows a provider's refusal."""
    wire = convert_to_openai_messages(messages)
    if not isinstance(wire, list):
        raise TypeError("a request is a list of messages")
    problems = violations(wire)
    asked = [m for m in messages if isinstance(m, HumanMessage)]
    expected = known.get(CODE.findall(asked[-1].text)[0])
    if expected is None:
        return [*problems, f"an unknown message was sent: {asked[-1].text[:40]!r}"]
    tokens = count_messages(messages)
    if tokens > expected.budget:
        problems.append(f"{tokens} tokens were sent, {expected.budget} fit")
    codes = {code for said in expected.branches for each in said for code in _codes(each)}
    if strange := {code for m in messages for code in CODE.findall(m.text)} - codes:
        problems.append(f"{sorted(strange)} were never said on this branch")
    few = 0 if halved else expected.budget // _FEW
    each = [list(_window(messages, said, few)) for said in expected.branches]
    return [*problems, *min(each, key=len)]


def _codes(exchange: Exchange) -> list[str]:
    return [code for message in exchange.asked for code in CODE.findall(message.text)]


def _window(messages: Sequence[BaseMessage], said: Sequence[Exchange], few: int) -> Iterator[str]:
    sent = group(messages[1:])  # type: ignore[arg-type]
    covered = re.search(r'<summary turns="1-(\d+)">', messages[0].text)
    through = int(covered[1]) if covered else 0
    if len(sent) < min(2, len(said)):
        yield "the previous exchange was not sent"
    if len(sent) > len(said) - through:
        yield f"{len(sent)} exchanges were sent; {through} of {len(said)} are folded"
        return
    earlier = [m for each in said[through:-1] for m in each.messages]
    window = [*earlier, *sent[-1].messages]
    if len(sent) < len(said) - through and count_messages(window) < few:
        yield f"{len(sent)} exchanges were sent, and there was room for {len(said) - through}"
    for exchange, shown in zip(said[len(said) - len(sent) :], sent, strict=True):
        yield from _exchange(exchange, shown)


def _exchange(exchange: Exchange, shown: Exchange) -> Iterator[str]:
    words = "\n\n".join(m.text for m in exchange.asked)
    if not _shows(shown.messages[0].text.partition("\n\n<context>")[0], words):
        yield f"not what was said: {shown.messages[0].text[:60]!r}"
    texts = iter(m.text for m in exchange.messages if m.type == "ai")
    for message in shown.messages if exchange.answered else ():
        if message.type == "ai" and not any(_shows(message.text, text) for text in texts):
            yield f"not what was replied: {message.text[:60]!r}"


def _shows(shown: str, text: str) -> bool:
    head, mark, rest = shown.partition(_CUT_MARK)
    if not mark:
        return shown == text
    tail = rest.partition("is left out here ...]")[2]
    return text.startswith(head.rstrip("\n")) and text.endswith(tail.lstrip("\n"))
