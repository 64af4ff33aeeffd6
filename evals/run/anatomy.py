"""A request taken apart into its layers, as `prompts.request` put them together."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from evals.run.records import Sent
from state.tokens import PER_MESSAGE, count_text

Layer = Literal["persona", "summary", "facts", "window", "late", "recalled", "now"]
LAYERS: tuple[Layer, ...] = get_args(Layer)
"""In the order in which they are sent. `late` are facts of the late context, `now` the newest
words with date and time."""

_SUMMARY = re.compile(r"\n\n<summary.*?</summary>", re.DOTALL)
_FACTS = re.compile(r"\n\n<facts>.*?</facts>", re.DOTALL)
_OPENS, _CLOSES = "\n\n<context>\n", "\n</context>"
_KNOWN = re.compile(r"Also known:\n(?:- .*\n)+")
_NOW = re.compile(r"^Now: .*\Z", re.MULTILINE)


class System(NamedTuple):
    """The system message."""

    persona: str
    summary: str
    facts: str


class Newest(NamedTuple):
    """The newest words of the user with their late context."""

    words: str
    late: str
    recalled: str
    time: str


def system_parts(content: str) -> System:
    """The persona's words, the summary's block and that of the facts, each without gaps."""
    summary, facts = _SUMMARY.search(content), _FACTS.search(content)
    persona = _FACTS.sub("", _SUMMARY.sub("", content))
    return System(persona, _found(summary), _found(facts))


def newest_parts(content: str) -> Newest:
    """The words as the user wrote them, and what rides behind them."""
    # The last one: the user may have written one, too. What is quoted in it is escaped.
    words, opens, context = content.rstrip().rpartition(_OPENS)
    if not opens or not context.endswith(_CLOSES):
        return Newest(content, "", "", "")
    lines = context.removesuffix(_CLOSES)
    late, time = _KNOWN.match(lines), _NOW.search(lines)
    begins = late.end() if late else 0
    ends = time.start() if time else len(lines)
    return Newest(
        words=words,
        late=_found(late),
        recalled=lines[begins:ends].strip(),
        time=_found(time),
    )


def tokens_by_layer(messages: Sequence[Sent]) -> dict[Layer, int]:
    """Tokens of each layer, as the graph counts them; together those of the request.

    The markup and the message's own cost go to the layer that cannot be left out.
    """
    last = max(i for i, message in enumerate(messages) if message.role == "user")
    head, newest = messages[0], messages[last]
    system, words = system_parts(head.content), newest_parts(newest.content)
    parts: Mapping[Layer, int] = {
        "summary": count_text(system.summary),
        "facts": count_text(system.facts),
        "window": sum(map(tokens_of, messages[1:last])),
        "late": count_text(words.late),
        "recalled": count_text(words.recalled),
    }
    now = sum(map(tokens_of, messages[last:])) - parts["late"] - parts["recalled"]
    persona = tokens_of(head) - parts["summary"] - parts["facts"]
    found = {**parts, "persona": persona, "now": now}
    return {layer: found[layer] for layer in LAYERS}


@lru_cache(maxsize=20_000)
def tokens_of(message: Sent) -> int:
    """Tokens of a message, as the graph counts them."""
    return PER_MESSAGE + count_text(message.content)


def _found(match: re.Match[str] | None) -> str:
    return match[0].strip() if match else ""
