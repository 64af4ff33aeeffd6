"""What a model is told of the turns that left the window."""

from collections.abc import Mapping, Sequence

from prompts.markup import escaped
from state.audit import pin_line
from state.catalogue import KINDS
from state.fact_budget import fact_line, flat
from state.facts import Fact
from state.summary import Kind, Summary, shown

_TITLES: dict[Kind, str] = {
    "manner": "How the user likes to be spoken to:",
    "decided": "Decided and required:",
    "happened": "What happened, in order:",
    "open": "Open threads and promises:",
    "now": "How things stand:",
}
_PINS = "Said word for word:"


def facts_block(facts: Mapping[str, Sequence[Fact]]) -> str:
    """The pinned facts as a block of the system message; empty when there are none."""
    own = [fact for fact in flat(facts) if _is_own_life(fact)]
    lines = [escaped(fact_line(fact)) for fact in flat(facts) if not _is_own_life(fact)]
    if own:
        lines += ["About yourself you said:", *(escaped(fact_line(fact)) for fact in own)]
    return "\n".join(["<facts>", *lines, "</facts>"]) if lines else ""


def _is_own_life(fact: Fact) -> bool:
    kind = KINDS.get(fact["kind"])
    return kind is not None and kind.own_life


def late_facts(facts: Sequence[Fact]) -> str:
    """Facts that neither the system message nor the window shows, for the late context."""
    return (
        "\n".join(["Also known:", *(escaped(fact_line(fact)) for fact in facts)]) if facts else ""
    )


def summary_block(summary: Summary) -> str:
    """The summary as a block of the system message; empty before the first compaction.

    What changes least comes first, so that a provider's cache keeps the most.
    """
    if not summary["items"] and not summary["pins"]:
        return ""
    lines = [f'<summary turns="1-{summary["through"]}">']
    for kind, title in _TITLES.items():
        items = [item for item in summary["items"] if item["kind"] == kind]
        if items:
            lines += [title, *(escaped(shown(item)) for item in items)]
        if kind == "happened" and summary["pins"]:
            lines += [_PINS, *(escaped(pin_line(pin)) for pin in summary["pins"])]
    return "\n".join([*lines, "</summary>"])
