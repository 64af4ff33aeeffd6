"""Keeping the summary within its length: what is least recent is said in fewer words first."""

from collections.abc import Sequence

from state.evidence import check
from state.summary import Changes, Summary, SummaryItem, applied, item_tokens

_NEWEST_NOW = 6
"""Items about how things stand that are kept: older ones stand no more."""
_OVERFLOW = 2
"""Above this many times the budget even open threads leave the state, for the log."""


def oldest_happened(summary: Summary) -> list[SummaryItem]:
    """The older half of what happened, in order."""
    happened = [item for item in summary["items"] if item["kind"] == "happened"]
    return happened[: len(happened) // 2]


def condensed(summary: Summary, old: Sequence[SummaryItem], changes: Changes) -> Summary:
    """`summary` with `old` said as `changes` say it, as far as their words hold the new ones.

    Only items of `old` are closed, and only when something new stands in their place.
    """
    told: dict[int, str] = {}
    for item in old:
        for turn in item["turns"]:
            told[turn] = f"{told.get(turn, '')} {item['text']}"
    happened = [new.model_copy(update={"kind": "happened"}) for new in changes.add]
    closed = {item["id"] for item in old} & set(changes.close)
    only = Changes(add=happened, close=sorted(closed))
    checked = check(only, summary, told).changes
    if not checked.add:
        return summary
    shorter = applied(summary, checked)
    return {**shorter, "items": sorted(shorter["items"], key=lambda item: item["turns"][:1])}


def within(summary: Summary, budget: int) -> tuple[Summary, list[SummaryItem]]:
    """`summary` in at most `budget` tokens as far as what happened can make room, and what went.

    What was decided and what is open stays, up to _OVERFLOW times the budget: the state is bounded.
    """
    now = [item["id"] for item in summary["items"] if item["kind"] == "now"]
    stale = set(now[:-_NEWEST_NOW])
    gone = [item for item in summary["items"] if item["id"] in stale]
    kept = [item for item in summary["items"] if item["id"] not in stale]
    size = item_tokens(kept)
    for going, most in (({"happened"}, budget), (set(), budget * _OVERFLOW)):
        for item in [i for i in kept if not going or i["kind"] in going]:
            if size <= most:
                break
            kept.remove(item)
            gone.append(item)
            size -= item_tokens([item])
    return {**summary, "items": kept}, gone
