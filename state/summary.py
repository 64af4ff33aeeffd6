"""The rolling summary: items that name their turns, and the changes that a compaction makes."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from state.text import clean
from state.tokens import count_text

Kind = Literal["happened", "decided", "open", "now", "manner"]
KINDS: tuple[Kind, ...] = get_args(Kind)


MOST_TURNS = 12
"""How many of its turns an item names: one that goes on for weeks stays small."""


class SummaryItem(TypedDict):
    """One thing that the folded exchanges said."""

    id: int
    kind: Kind
    text: str
    turns: list[int]
    """The newest MOST_TURNS of the turns that it came from, ascending."""


class Pin(TypedDict):
    """A value that the summary left out, kept as it was said."""

    value: str
    turn: int
    words: str
    """The words around it."""


class Summary(TypedDict):
    """What left the window, up to and with turn `through`."""

    through: int
    items: list[SummaryItem]
    pins: list[Pin]
    next_id: int


EMPTY = Summary(through=0, items=[], pins=[], next_id=1)


def _one_line(text: str) -> str:
    if not (line := " ".join(clean(text).split())):
        raise ValueError("the text is blank")
    return line


Line = Annotated[str, Field(max_length=600), AfterValidator(_one_line)]
"""What a note says: on one line, so that it can forge no other."""


class NewItem(BaseModel):
    """Something that no item says yet."""

    model_config = ConfigDict(extra="ignore")

    kind: Kind
    text: Line
    turns: list[int] = Field(default_factory=list)


class Rewording(BaseModel):
    """A new text for an item that changed or went on."""

    model_config = ConfigDict(extra="ignore")

    id: int
    text: Line
    turns: list[int] = Field(default_factory=list)


class Changes(BaseModel):
    """What a summariser returns: changes only, so that what it does not name cannot drift."""

    model_config = ConfigDict(extra="ignore")

    add: list[NewItem] = Field(default_factory=list)
    reword: list[Rewording] = Field(default_factory=list)
    close: list[int] = Field(default_factory=list)


_MOST_NOTES = 4
"""For each note that is due: two turns can hold some."""


def changes_schema(*, notes: int) -> dict[str, Any]:
    """The JSON schema of Changes with at least so many new notes, and not many more.

    A small model that decodes by the schema would else take the short way out, nothing new, or go
    on until it is cut off.
    """
    schema = Changes.model_json_schema()
    schema["properties"]["add"] |= {"minItems": notes, "maxItems": _MOST_NOTES * notes + 1}
    schema["properties"]["reword"] |= {"maxItems": _MOST_NOTES * notes + 1}
    return schema | {"required": ["add", "reword", "close"]}


def item_tokens(items: Iterable[SummaryItem]) -> int:
    """Tokens of `items` as a request shows them."""
    return sum(count_text(shown(item)) + 1 for item in items)


def shown(item: SummaryItem) -> str:
    """An item as one line: its turns, then its text."""
    return f"- [{spans(item['turns'])}] {item['text']}"


def spans(turns: Sequence[int]) -> str:
    """Turns as `t3-5, t9`."""
    parts: list[str] = []
    runs: list[list[int]] = []
    for turn in sorted(set(turns)):
        if runs and turn == runs[-1][1] + 1:
            runs[-1][1] = turn
        else:
            runs.append([turn, turn])
    for first, last in runs:
        parts.append(f"t{first}" if first == last else f"t{first}-{last}")
    return ", ".join(parts)


def applied(summary: Summary, changes: Changes) -> Summary:
    """`summary` with checked `changes` made; ids of new items go on from `next_id`."""
    reworded = {change.id: change for change in changes.reword}
    items: list[SummaryItem] = []
    for item in summary["items"]:
        if item["id"] in changes.close:
            continue
        if change := reworded.get(item["id"]):
            turns = sorted({*item["turns"], *change.turns})[-MOST_TURNS:]
            items.append({**item, "text": change.text, "turns": turns})
        else:
            items.append(item)
    next_id = summary["next_id"]
    for new in changes.add:
        turns = sorted(set(new.turns))[-MOST_TURNS:]
        items.append(SummaryItem(id=next_id, kind=new.kind, text=new.text, turns=turns))
        next_id += 1
    return {**summary, "items": items, "next_id": next_id}
