"""What a model is told of the turns that a search brought back."""

from prompts.markup import cut_middle, escaped
from state.recalled import Passage, Recalled

_HERE = "From earlier in this conversation, word for word; facts and later turns win:"
_ELSEWHERE = "From other conversations with this user, word for word:"
_NOTHING = (
    "Older turns were searched for this, too, and nothing was found. Answer from the summary, the "
    "facts and the messages above; what they do not say you do not know: say so, do not guess."
)
_TROUBLE = (
    "Older turns cannot be searched just now. If the user asks for something that the summary, the "
    "facts and the messages above do not say, tell them that you cannot look it up at the moment; "
    "do not guess."
)
_ASKED = 60
"""Tokens of the user's words that stand behind the passages again."""


def recalled_block(recalled: Recalled | None, asked: str = "") -> str:
    """The passages as part of the late context, or that there are none; empty without a search.

    The words `asked` stand behind the passages again: a small model takes the last passage for what
    it is to answer.
    """
    if recalled is None or not recalled["searched"]:
        return ""
    if not recalled["passages"]:
        return _TROUBLE if recalled["trouble"] else _NOTHING
    here = [passage_text(each) for each in recalled["passages"] if not each["elsewhere"]]
    elsewhere = [passage_text(each) for each in recalled["passages"] if each["elsewhere"]]
    parts = [*([_HERE, *here] if here else []), *([_ELSEWHERE, *elsewhere] if elsewhere else [])]
    again = escaped(" ".join(cut_middle(asked, _ASKED).split()))
    return "\n".join([*parts, *([f"The message to answer: {again}"] if again else [])])


def passage_text(passage: Passage) -> str:
    """A passage as a block. Each line says whose words it holds, so that none can pose as ours."""
    turn = "" if passage["elsewhere"] else f' turn="{passage["turn"]}"'
    lines = [f'<earlier{turn} date="{passage["at"][:10]}">']
    lines += _quoted("user", passage["user"]) + _quoted("assistant", passage["assistant"])
    if passage["note"]:
        lines.append(f"(changed later: {escaped(passage['note'])})")
    return "\n".join([*lines, "</earlier>"])


def _quoted(speaker: str, words: str) -> list[str]:
    return [f"{speaker}> {escaped(line)}" for line in words.splitlines() if line.strip()]
