"""Checking a summariser's changes against the words they claim to come from."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from state.summary import Changes, NewItem, Rewording, Summary, SummaryItem
from state.wording import folded, holds, is_german, names, spelled, stem, values

_ANY_WORD = re.compile(r"\w+")
_WORD = re.compile(r"\w{4,}")
_PLACEHOLDER = re.compile(r"[\W_]*(?:n/?a|nil|none|null|text|string|todo|tbd|summary|note)?[\W_]*")


@dataclass
class Checked:
    """The changes that hold, and why the others do not."""

    changes: Changes
    dropped: list[str] = field(default_factory=list)


def missing(text: str, held: str, *, named: bool = True) -> set[str]:
    """The values of `text`, and the stems of its names, that the folded `held` does not hold.

    A small number may be spelled out there; a name may be inflected. `named` off: values only.
    """
    lost = {value for value in values(text) if not holds(held, value)} - spelled(held)
    called = names(text) if named else set()
    return lost | {stem(name) for name in called if not holds(held, stem(name))}


def check(changes: Changes, summary: Summary, told: Mapping[int, str]) -> Checked:
    """`changes` without what closes no known item, or says what the folded turns do not.

    A rewording of no known item is a new one; a new one in the very words of another gives that
    its turns, for a model that repeats itself. `told` is the text of each folded turn, with its
    date as the summariser was shown it. A claim that stands in other turns than the named ones
    points the item to them.
    """
    known = {item["id"]: item for item in summary["items"]}
    staying = [item for item in summary["items"] if item["id"] not in changes.close]
    source = _Source.of(told)
    checked = Checked(Changes())
    unknown = [change for change in changes.reword if change.id not in known]
    noted = [NewItem(kind="happened", text=each.text, turns=each.turns) for each in unknown]
    for new in [*changes.add, *noted]:
        if turns := source.turns(new.text, new.turns):
            _note(checked.changes, new.model_copy(update={"turns": turns}), staying)
        else:
            checked.dropped.append(f"not said: {new.text}")
    for change in changes.reword:
        if change.id not in known:
            continue
        if turns := source.turns(change.text, change.turns, known=known[change.id]["text"]):
            checked.changes.reword.append(change.model_copy(update={"turns": turns}))
        else:
            checked.dropped.append(f"not said: {change.text}")
    for closed in changes.close:
        if closed in known:
            checked.changes.close.append(closed)
        else:
            checked.dropped.append(f"no item {closed} to close")
    return checked


def _note(changes: Changes, new: NewItem, known: Iterable[SummaryItem]) -> None:
    """Adds `new` to `changes`, or its turns to what says the same there or in `known`."""
    said = _plain_words(new.text)
    for item in known:
        if item["kind"] == new.kind and _plain_words(item["text"]) == said:
            before = [
                turn for each in changes.reword if each.id == item["id"] for turn in each.turns
            ]
            changes.reword = [each for each in changes.reword if each.id != item["id"]]
            turns = sorted({*before, *new.turns})
            changes.reword.append(Rewording(id=item["id"], text=item["text"], turns=turns))
            return
    for at, other in enumerate(changes.add):
        if other.kind == new.kind and _plain_words(other.text) == said:
            turns = sorted({*other.turns, *new.turns})
            changes.add[at] = other.model_copy(update={"turns": turns})
            return
    changes.add.append(new)


def _plain_words(text: str) -> list[str]:
    return _ANY_WORD.findall(folded(text))


@dataclass(frozen=True)
class _Source:
    told: Mapping[int, str]
    """The folded text of each turn."""
    named: bool
    """Whether names can be told from other words."""

    @classmethod
    def of(cls, told: Mapping[int, str]) -> "_Source":
        german = is_german(" ".join(told.values()))
        return cls({turn: folded(text) for turn, text in told.items()}, named=not german)

    def turns(self, text: str, named: Iterable[int], *, known: str = "") -> list[int]:
        """The turns that hold `text`'s claims, the named ones first; none: it was not said."""
        if _PLACEHOLDER.fullmatch(text.casefold()):
            return []
        turns = [turn for turn in dict.fromkeys(named) if turn in self.told]
        turns = turns or self._nearest(text)
        if not turns:
            return []
        held = " ".join([folded(known), *(self.told[turn] for turn in turns)])
        for claim in sorted(missing(text, held, named=self.named)):
            holder = next((t for t, said in self.told.items() if holds(said, claim)), None)
            if holder is None:
                return []
            turns.append(holder)
        return sorted(set(turns))

    def _nearest(self, text: str) -> list[int]:
        """The turn that shares the most words with `text`, for a model that names none."""
        words = set(_WORD.findall(folded(text)))
        shared = {turn: sum(w in said for w in words) for turn, said in self.told.items()}
        best = max(shared, key=lambda turn: shared[turn], default=0)
        return [best] if shared.get(best) else []
