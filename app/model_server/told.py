"""What the stand-in reads in the memory that a request gives it: the facts, by kind."""

import html
import re
from collections.abc import Sequence

from app.model_server import window
from app.model_server.chat import Message, text_of

Facts = Sequence[tuple[str, str]]
"""Kind and value, in the order of the request."""

_BLOCK = re.compile(r"<facts>\n(.*?)\n</facts>", re.DOTALL)
_LATE = re.compile(r"\nAlso known:\n((?:- .*\n)+)")
_LINE = re.compile(
    r"- (?P<kind>[a-z_]+): (?P<value>.*?)(?: \(before: .*\))? \[t\d+, [^\]]*\]", re.MULTILINE
)


def facts(messages: Sequence[Message]) -> Facts:
    """The facts of the system message, then those of the newest message's late context."""
    blocks = [block for message in messages[:1] for block in _BLOCK.findall(text_of(message))]
    users = [message for message in messages if message["role"] == "user"]
    blocks += [block for message in users[-1:] for block in _LATE.findall(text_of(message))]
    found = [line for block in blocks for line in _LINE.finditer(block)]
    return [(line["kind"], html.unescape(line["value"])) for line in found]


def value_of(thing: str, known: Facts) -> str | None:
    """The newest value of the kind whose name holds the words of `thing`, or what a note says."""
    words = set(thing.split())
    for kind, value in reversed(known):
        if words <= set(kind.split("_")):
            return value
    return window.value_of(thing, [value for kind, value in known if kind == "note"])
