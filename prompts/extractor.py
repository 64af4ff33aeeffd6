"""What the extractor is sent: the catalogue, the facts it may touch, the turns by speaker."""

import json
from collections.abc import Mapping, Sequence

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from prompts.files import prompt
from prompts.markup import cut_middle, escaped, unescaped
from state.catalogue import CATALOGUE, Kind
from state.facts import Fact
from state.operations import Operation, Operations
from state.said import Said

_BEFORE_TOKENS = 300
_WORDS_TOKENS = 3000


def extract_request(said: Sequence[Said], facts: Mapping[str, Sequence[Fact]]) -> list[BaseMessage]:
    """The request for what `said` states, given the `facts` that it may touch."""
    kinds = "\n".join(_kind(kind) for kind in CATALOGUE)
    known = [
        json.dumps({"kind": kind, "value": fact["value"]}, ensure_ascii=False)
        for kind, standing in facts.items()
        for fact in standing
    ]
    turns = "\n".join(_turn(each) for each in said)
    body = f"Known so far:\n{escaped(chr(10).join(known)) or '(nothing)'}\n\nTurns:\n{turns}"
    return [
        SystemMessage(prompt("extract.md").replace("{kinds}", kinds)),
        HumanMessage(f"{body}\n\nThe facts of these turns, as one JSON object:"),
    ]


def as_written(operations: Operations) -> Operations:
    """`operations` in the words of the conversation, without the escapes of the request."""
    return Operations(facts=[_unescaped(each) for each in operations.facts])


def _unescaped(operation: Operation) -> Operation:
    texts = operation.model_dump(include={"value", "quote", "old", "when", "answers"})
    return operation.model_copy(update={name: unescaped(text) for name, text in texts.items()})


def _kind(kind: Kind) -> str:
    more = ["several" if kind.many else "one", f"said by the {kind.by}"]
    if kind.exact:
        more.append("copied exactly")
    if kind.choices:
        more = [f"judged, one of: {', '.join(kind.choices)}"]
    return f"- {kind.key}: {kind.says} ({', '.join(more)})"


def _turn(said: Said) -> str:
    before = escaped(cut_middle(said.before, _BEFORE_TOKENS))
    return (
        f'<turn n="{said.turn}" date="{said.at[:10]}">'
        + (f"<assistant-before>{before}</assistant-before>" if before else "")
        + f"<user>{escaped(cut_middle(said.user, _WORDS_TOKENS))}</user>"
        + f"<assistant>{escaped(cut_middle(said.assistant, _WORDS_TOKENS))}</assistant></turn>"
    )
