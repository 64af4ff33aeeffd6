"""What the stand-in reads in the memory that a request gives it: facts, and recalled words."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.model_server import window
from app.model_server.chat import Message, text_of

Facts = Sequence[tuple[str, str]]
"""Kind and value, in the order of the request."""

_BLOCK = re.compile(r"<facts>\n(.*?)\n</facts>", re.DOTALL)
_LATE = re.compile(r"\nAlso known:\n((?:- .*\n)+)")
_ALSO = {"must_not": ("allergy",)}
_CONTEXT = re.compile(r"<context>(?:(?!<context>).)*</context>\s*$", re.DOTALL)
_EARLIER = re.compile(r"<earlier[^>]*>\n(.*?)\n</earlier>", re.DOTALL)
_SAID = re.compile(r"^user> (.*)$", re.MULTILINE)
_LINE = re.compile(
    r"- (?P<kind>[a-z_]+): (?P<value>.*?)(?: \(before: .*\))? "
    r"\[(?:t\d+|an earlier conversation), [^\]]*\]",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Told:
    """What a request tells beside the conversation itself."""

    facts: Facts
    recalled: Sequence[str]
    """What the user said in the passages that were recalled, oldest first."""

    def value_of(self, thing: str) -> str | None:
        """The newest value of the kind whose name holds the words of `thing`, or what words say."""
        words = set(window.key(thing).split())
        for kind, value in reversed(self.facts):
            if words <= {*kind.split("_"), *_ALSO.get(kind, ())}:
                return value
        notes = [value for kind, value in self.facts if kind == "note"]
        return window.value_of(thing, [*self.recalled, *notes])


def told(messages: Sequence[Message]) -> Told:
    """The facts of the system message, then those of the newest message's late context."""
    users = [text_of(message) for message in messages if message["role"] == "user"]
    context = "".join(_CONTEXT.findall(users[-1])) if users else ""
    blocks = [block for message in messages[:1] for block in _BLOCK.findall(text_of(message))]
    lines = [line for each in [*blocks, *_LATE.findall(context)] for line in _LINE.finditer(each)]
    passages = _EARLIER.findall(context)
    return Told(
        [(line["kind"], html.unescape(line["value"])) for line in lines],
        [html.unescape("\n".join(_SAID.findall(passage))) for passage in passages],
    )
