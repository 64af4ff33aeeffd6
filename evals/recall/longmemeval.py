"""Files in the form of LongMemEval (xiaowu0162/LongMemEval): a haystack of sessions a question.

Evidence are the exchanges that hold a message marked `has_answer`; where none is marked, all
exchanges of the answer's sessions. A question without either is left out (it has no answer).
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evals.recall.talks import Question, Talk
from memory.recall.documents import Document, Speakers

Message = Mapping[str, Any]

_DATE = re.compile(r"(\d{4})[/-](\d{1,2})[/-](\d{1,2})(?:\D*(\d{1,2}):(\d{2}))?")


def read(folder: Path) -> Iterator[Talk]:
    """A conversation for each question of each `*.json` in `folder`, in order of their names.

    Raises OSError and ValueError (KeyError for another form).
    """
    for path in sorted(folder.glob("*.json")):
        for entry in json.loads(path.read_text(encoding="utf-8")):
            yield from _talk(entry)


def _talk(entry: Mapping[str, Any]) -> Iterator[Talk]:
    answers = set(entry["answer_session_ids"])
    documents: list[Document] = []
    marked: set[str] = set()
    of_sessions: set[str] = set()
    sessions = zip(
        entry["haystack_session_ids"],
        entry["haystack_dates"],
        entry["haystack_sessions"],
        strict=True,
    )
    for name, date, messages in sorted(sessions, key=lambda each: _time(each[1])):
        for messages_of_one in _exchanges(messages):
            key = f"{len(documents) + 1}-{name}"
            documents.append(_document(key, len(documents) + 1, _time(date), messages_of_one))
            if any(message.get("has_answer") for message in messages_of_one):
                marked.add(key)
            if name in answers:
                of_sessions.add(key)
    evidence = marked or of_sessions
    if evidence:
        asked = Question(
            text=entry["question"], category=entry["question_type"], evidence=frozenset(evidence)
        )
        yield Talk(
            name=str(entry["question_id"]),
            speakers=Speakers(),
            documents=tuple(documents),
            questions=(asked,),
        )


def _document(key: str, turn: int, at: str, messages: Sequence[Message]) -> Document:
    user, assistant = (
        "\n".join(message["content"] for message in messages if message["role"] == role)
        for role in ("user", "assistant")
    )
    return Document(key=key, turn=turn, at=at, user=user, assistant=assistant)


def _exchanges(messages: Sequence[Message]) -> list[list[Message]]:
    exchanges: list[list[Message]] = []
    for message in messages:
        asks = message["role"] == "user" and exchanges and exchanges[-1][-1]["role"] != "user"
        if asks or not exchanges:
            exchanges.append([])
        exchanges[-1].append(message)
    return exchanges


def _time(date: str) -> str:
    found = _DATE.search(date)
    if found is None:
        raise ValueError(f"a date of the haystack reads {date!r}")
    year, month, day, hour, minute = (int(part or 0) for part in found.groups())
    return datetime(year, month, day, hour, minute, tzinfo=UTC).isoformat()
