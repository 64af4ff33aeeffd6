"""LoCoMo (snap-research/locomo, `locomo10.json`) as exchanges.

One speaker is taken for the user, `speaker_a`; what the other says after it is the reply. No
exchange spans two sessions. An image is read by its caption, as the set's own baselines do.
Evidence that names no turn of the conversation is left out, and so is a question left with none.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evals.recall.talks import Question, Talk
from memory.recall.documents import Document, Speakers

CATEGORIES = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
ADVERSARIAL = CATEGORIES[5]
"""Questions that have no answer: what is found for them counts for nothing."""

_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D(\d+):0*(\d+)")


def read(path: Path) -> list[Talk]:
    """The conversations of the file. Raises OSError and ValueError (KeyError for another form)."""
    return [_talk(sample) for sample in json.loads(path.read_text(encoding="utf-8"))]


def _talk(sample: Mapping[str, Any]) -> Talk:
    told = sample["conversation"]
    user = told["speaker_a"]
    documents: list[Document] = []
    where: dict[str, str] = {}
    for session in sorted(int(m[1]) for key in told if (m := _SESSION.fullmatch(key))):
        at = _time(told[f"session_{session}_date_time"])
        for turns in _exchanges(told[f"session_{session}"], user):
            key = f"{len(documents) + 1}-{turns[0]['dia_id']}"
            where |= {name: key for turn in turns for name in _turns([turn["dia_id"]])}
            documents.append(
                Document(
                    key=key,
                    turn=len(documents) + 1,
                    at=at,
                    user=_words(turns, user, own=True),
                    assistant=_words(turns, user, own=False),
                )
            )
    return Talk(
        name=sample["sample_id"],
        speakers=Speakers(user=user, assistant=told["speaker_b"]),
        documents=tuple(documents),
        questions=tuple(_questions(sample["qa"], where)),
    )


def _questions(asked: Sequence[Mapping[str, Any]], where: Mapping[str, str]) -> Iterator[Question]:
    for each in asked:
        evidence = frozenset(where[turn] for turn in _turns(each["evidence"]) if turn in where)
        if evidence:
            yield Question(
                text=each["question"], category=CATEGORIES[each["category"]], evidence=evidence
            )


def _exchanges(turns: Sequence[Mapping[str, Any]], user: str) -> list[list[Mapping[str, Any]]]:
    exchanges: list[list[Mapping[str, Any]]] = []
    for turn in turns:
        asks = turn["speaker"] == user and exchanges and exchanges[-1][-1]["speaker"] != user
        if asks or not exchanges:
            exchanges.append([])
        exchanges[-1].append(turn)
    return exchanges


def _words(turns: Sequence[Mapping[str, Any]], user: str, *, own: bool) -> str:
    return "\n".join(
        f"{turn['text']} [{turn['blip_caption']}]" if turn.get("blip_caption") else turn["text"]
        for turn in turns
        if (turn["speaker"] == user) is own
    )


def _turns(names: Sequence[str]) -> list[str]:
    """Evidence as `D1:2`; the set also writes `D1:02`, and several in one string."""
    return [f"D{session}:{turn}" for name in names for session, turn in _TURN.findall(name)]


def _time(text: str) -> str:
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).isoformat()
