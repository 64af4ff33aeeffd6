"""What the summariser is sent: notes by id, turns with their speakers apart."""

import json
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from prompts.files import prompt
from prompts.markup import escaped
from state.admission import AT
from state.audit import Find
from state.exchanges import Exchange
from state.summary import Summary, SummaryItem

_ASK = (
    "Go through the turns one by one, from the first to the last, and note what each one tells: "
    "at least one note for each turn that tells something new. The JSON object:"
)
"""Said last: a small model does what it read last, and else notes the last turn only."""


_FOLD, _CONDENSE = "summarise.md", "condense.md"


def read_prompts() -> None:
    """Reads the files that the requests below are made of. Once, and not on an event loop."""
    prompt(_FOLD)
    prompt(_CONDENSE)


def fold_request(summary: Summary, turns: Sequence[str]) -> list[BaseMessage]:
    """The request that folds rendered `turns` into `summary`."""
    body = f"Notes so far:\n{_notes(summary['items'])}\n\nTurns:\n" + "\n".join(turns)
    return [SystemMessage(prompt(_FOLD)), HumanMessage(f"{body}\n\n{_ASK}")]


def again_request(
    summary: Summary, turns: Sequence[str], finds: Sequence[Find]
) -> list[BaseMessage]:
    """The request for what an audit found missing in `summary`: the second and last asking."""
    asked = fold_request(summary, turns)
    missing = "\n".join(f"- {escaped(f.value)} (turn {f.turn}: {escaped(f.words)})" for f in finds)
    extra = (
        f"These values of the turns are in no note:\n{missing}\n"
        "Add notes for those that could matter later; reword a note where the value belongs in it."
    )
    return [
        asked[0],
        HumanMessage(f"{asked[1].text.removesuffix(_ASK)}{extra}\n\nThe JSON object:"),
    ]


def condense_request(items: Sequence[SummaryItem]) -> list[BaseMessage]:
    """The request that says `items` in fewer words."""
    return [SystemMessage(prompt(_CONDENSE)), HumanMessage(f"Notes:\n{_notes(items)}")]


def turn_text(turn: int, exchange: Exchange) -> str:
    """Exchange number `turn` as the summariser reads it."""
    asked = exchange.asked
    at = str(asked[0].additional_kwargs.get(AT, ""))[:10] if asked else ""
    parts = [_line(message) for message in exchange.messages]
    return f'<turn n="{turn}" date="{at}">\n' + "\n".join(p for p in parts if p) + "\n</turn>"


def spoken(exchange: Exchange) -> str:
    """What user and assistant said, without tool output: what an audit looks through."""
    said = [m.text for m in exchange.messages if not isinstance(m, ToolMessage)]
    return "\n".join(text for text in said if text)


def _line(message: BaseMessage) -> str:
    text = escaped(message.text)
    match message:
        case HumanMessage():
            return f"<user>{text}</user>"
        case ToolMessage():
            return f"<tool>{text}</tool>"
        case AIMessage() if text:
            return f"<assistant>{text}</assistant>"
        case _:
            return ""


def _notes(items: Sequence[SummaryItem]) -> str:
    lines = [
        json.dumps({k: item[k] for k in ("id", "kind", "text", "turns")}, ensure_ascii=False)
        for item in items
    ]
    return escaped("\n".join(lines)) or '(none yet: everything goes into "add")'
