"""What a model is told of the turns that left the window."""

from prompts.markup import escaped
from state.audit import pin_line
from state.summary import Kind, Summary, shown

_TITLES: dict[Kind, str] = {
    "manner": "How the user likes to be spoken to:",
    "decided": "Decided and required:",
    "happened": "What happened, in order:",
    "open": "Open threads and promises:",
    "now": "How things stand:",
}
_PINS = "Said word for word:"


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
