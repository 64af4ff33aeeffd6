"""Marking what is data: delimited, and escaped so that it cannot end its block."""

from state.tokens import count_text

CUT = "\n[... the middle of this message, {} characters, is left out here ...]\n"


def escaped(text: str) -> str:
    """`text` with the signs that could open or close a block written as entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def unescaped(text: str) -> str:
    """What `escaped` made `text` of: a model copies what it was shown."""
    return text.replace("&lt;", "<").replace("&amp;", "&")


def cut_middle(text: str, tokens: int) -> str:
    """`text`, or its head and its tail with a mark between when it has more than `tokens`."""
    if count_text(text) <= tokens:
        return text
    keep = len(text) * tokens // count_text(text)
    while keep > 0:
        shown = (
            text[: keep - keep // 2] + CUT.format(len(text) - keep) + text[len(text) - keep // 2 :]
        )
        if count_text(shown) <= tokens:
            return shown
        keep = keep * 9 // 10 if keep > 10 else 0
    return CUT.format(len(text)).strip()
