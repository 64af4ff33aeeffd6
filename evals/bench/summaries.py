"""An instant summariser: what it is shown in few words, in the form that the request asks for.

It is no better at this for one contestant than for another: a note an exchange, which repeats the
first words and every planted value that it was shown, the newest notes within one budget.
"""

import html
import json
import re
from collections.abc import Sequence

from app.model_server.chat import ChatRequest, text_of
from evals.bench.conversation import planted_in
from state.tokens import count_text

BUDGET = 800
"""Longest summary in prose, in tokens: as long as longhaul's own may be."""
_OPENING = 6
_LONGEST_NOTE = 560

_TURN = re.compile(r'<turn n="(\d+)"[^>]*>(.*?)(?=<turn n="|\Z)', re.DOTALL)
_TAGS = re.compile(r"</?[a-z]+[^>]*>")
_LISTED = re.compile(r"^(\{.*\})$", re.MULTILINE)
_MESSAGE = re.compile(r'<message type="(?:human|ai)">(.*?)</message>', re.DOTALL)
_NOTE = re.compile(r"(?:^|: )- (.+)$", re.MULTILINE)


def summary(request: ChatRequest) -> str:
    """The answer to a summariser's request of any contestant."""
    shown = [text_of(message) for message in request.messages]
    if request.schema_name == "Changes":
        _, asked, turns = shown[-1].partition("\n\nTurns:\n")
        return json.dumps(_changes(turns) if asked else _condensed(shown[-1]))
    if len(shown) == 1:
        return _prose([], [html.unescape(said) for said in _MESSAGE.findall(shown[0])])
    # LangMem: the messages as they were sent, then the instruction with the summary so far.
    return _prose(_NOTE.findall(shown[-1]), shown[:-1])


def _changes(turns: str) -> dict[str, object]:
    """longhaul: a note for each turn that is folded."""
    said = {int(n): html.unescape(_TAGS.sub(" ", body)) for n, body in _TURN.findall(turns)}
    notes = [{"kind": "happened", "text": _note(s), "turns": [n]} for n, s in said.items()]
    return {"add": notes, "reword": [], "close": []}


def _condensed(notes: str) -> dict[str, object]:
    """longhaul: one note in place of many, with the newest of their values."""
    old = [json.loads(html.unescape(line)) for line in _LISTED.findall(notes)]
    values = planted_in(" ".join(note["text"] for note in old))
    while len(", ".join(values)) > _LONGEST_NOTE:
        values.pop(0)
    text = ", ".join(values) or _note(old[-1]["text"])
    turns = sorted({turn for note in old for turn in note["turns"]})
    note = {"kind": "happened", "text": text, "turns": turns}
    return {"add": [note], "reword": [], "close": [each["id"] for each in old]}


def _prose(notes: Sequence[str], shown: Sequence[str]) -> str:
    """A summary as lines: the notes so far, then one for each message, newest last."""
    lines = list(notes)
    for said in shown:
        lines += _NOTE.findall(said) or [_note(said)]
    kept: list[str] = []
    room = BUDGET
    for line in reversed(lines):
        room -= count_text(line) + 2
        if room < 0:
            break
        kept.append(f"- {line}")
    return "\n".join(reversed(kept))


def _note(said: str) -> str:
    return ", ".join([" ".join(said.split()[:_OPENING]), *planted_in(said)])
