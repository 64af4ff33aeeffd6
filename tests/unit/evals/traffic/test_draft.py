"""A stored conversation becomes a file: sound, with its facts, asking for what is missing."""

import tomllib
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from evals.run.conversation import Conversation, parsed
from evals.run.stretch import course
from evals.traffic.draft import Draft, Leak, Missing, Wishes, draft
from evals.traffic.planted import Garden, NotSaid, Spoken, planted

TURNS = [
    Spoken("2026-03-02T09:00:00+00:00", "Hi, I'm Odile Varga, order LH20481137.", "Hello Odile."),
    Spoken("2026-03-02T09:05:00+00:00", "I live at 12 Hill Rd, Leeds.", 'Noted: "Leeds".\n\\o/'),
    Spoken("2026-03-04T09:05:00+00:00", "I'm allergic against\nnuts. My dog is Bramble.", "Sad."),
    Spoken(
        "2026-03-04T09:06:00+00:00", "I moved to 8 Canal Street, York.", "I will call on Friday."
    ),
    Spoken("2026-03-04T09:07:00+00:00", "Forget the allergy, I was wrong.", "Done. I called."),
]


def row(turn: int, kind: str, value: str, quote: str = "", **more: str) -> dict[str, Any]:
    base = {"at": f"t{turn}", "event": "stated", "before": "", "by": "user"}
    return {**base, "turn": turn, "kind": kind, "value": value, "quote": quote or value, **more}


LOG = [
    row(1, "customer_name", "Odile Varga"),
    row(1, "order_number", "LH20481137", event="stated by pattern"),
    row(2, "address", "12 Hill Rd, Leeds"),
    row(3, "must_not", "nut allergy", "I'm allergic against nuts"),
    row(3, "mood", "frustrated"),
    row(3, "note", "likes opera"),
    row(4, "address", "8 Canal Street, York", event="changed", before="12 Hill Rd, Leeds"),
    row(4, "promise", "call on Friday", by="assistant"),
    row(5, "must_not", "nut allergy", event="retracted", before="nut allergy"),
    row(5, "promise", "call on Friday", event="kept", before="call on Friday", by="assistant"),
    row(9, "note", "of another branch"),
]


def made(
    *missing: Missing, turns: Sequence[Spoken] = TURNS, log: Sequence[dict[str, Any]] = LOG
) -> Draft:
    wishes = Wishes(name="traffic", persona="support", filler="support", missing=missing)
    return draft(turns, log, wishes, Random(3))  # noqa: S311


def read(found: Draft) -> Conversation:
    return parsed(tomllib.loads(found.text))


def standing(conversation: Conversation, fact: str, turn: int) -> str | None:
    current = course(conversation, seed=0).standing(fact, turn).current
    return current.value if current else None


def test_the_log_is_planted_with_changes_and_ends() -> None:
    found = planted(LOG, TURNS)
    assert set(found.facts) == {
        "customer_name",
        "order_number_1",
        "address",
        "must_not_1",
        "promise_1",
    }
    said = {turn: [(s.fact, s.value) for s in says] for turn, says in found.says.items()}
    assert said[4] == [("address", "8 Canal Street, York"), ("promise_1", "call on Friday")]
    assert said[5] == [("must_not_1", ""), ("promise_1", "")]
    assert found.left_out == ["turn 3: note: its words do not show it"]


def test_the_file_is_sound_and_says_what_stands_when() -> None:
    conversation = read(made())
    assert conversation.facts["promise_1"].by == "assistant"
    assert len(conversation.turns) == len(TURNS)
    assert [turn.hours for turn in conversation.turns] == [0, 0, 48, 0, 0]
    before, after = (standing(conversation, "address", turn) for turn in (3, 5))
    assert before is not None
    assert after is not None
    assert before != after
    assert "\\o/" in conversation.turns[1].bot
    assert standing(conversation, "must_not_1", 4) is not None
    assert standing(conversation, "must_not_1", 5) is None
    # The words say it otherwise than the fact does.
    assert conversation.turns[2].says[0].pattern.startswith("nut\\s+allergy|I'm\\s+allergic")


def test_nothing_personal_is_left_and_what_is_told_counts_it() -> None:
    found = made(Missing("Bramble"))
    for gone in ("Odile", "Varga", "LH20481137", "Hill", "Leeds", "Canal", "York", "Bramble"):
        assert gone not in found.text
        assert gone in " ".join(found.replaced)
    assert found.facts == 6


def test_words_that_may_be_names_are_told() -> None:
    said = Spoken("2026-03-04T09:08:00+00:00", "Biscuit slept. Trains run, I like trains.", "Well.")
    found = made(turns=[*TURNS, said])
    assert "Biscuit" in found.doubtful
    assert not {"Trains", "Odile", "I"} & set(found.doubtful)


def test_what_is_missing_is_asked_for_at_the_end() -> None:
    found = made(Missing("Bramble"), Missing("12 Hill Rd", "Where did I live first?"))
    conversation = read(found)
    *_, dog, home = conversation.turns
    name = found.replaced["Bramble"]
    assert dog.user == 'Some time ago I said: "My dog is ___." What belongs into the gap?'
    assert dog.probe is not None
    assert (dog.probe.fact, standing(conversation, "missing_1", 6)) == ("missing_1", name)
    assert conversation.facts["missing_1"].home == "summary"
    assert home.user == "Where did I live first?"
    assert standing(conversation, "missing_2", 6) is not None


def test_what_the_log_has_already_is_not_planted_twice() -> None:
    conversation = read(made(Missing("lh20481137", "What is my order number?")))
    assert conversation.turns[-1].probe is not None
    assert conversation.turns[-1].probe.fact == "order_number_1"
    assert "missing_1" not in conversation.facts


def test_a_kind_says_where_it_belongs() -> None:
    conversation = read(made(Missing("Bramble", "What is my dog called?", "note")))
    assert conversation.facts["missing_1"].home == "facts"


@pytest.mark.parametrize(
    ("wanted", "fault"),
    [
        (Missing("Rufus"), "no turn says 'Rufus'"),
        (Missing("Bramble", kind="dog"), "'dog' is none of customer_name, "),
        (Missing("Bramble", kind="promise"), "promise is stated by the assistant, and turn 3 has"),
    ],
)
def test_what_nobody_said_cannot_be_missing(wanted: Missing, fault: str) -> None:
    with pytest.raises(NotSaid) as told:
        made(wanted)
    assert fault in str(told.value)


def test_a_question_that_gives_the_answer_away_is_refused() -> None:
    with pytest.raises(ValueError, match="gives the answer away"):
        made(Missing("Bramble", "Is my dog called Bramble?"))


def test_a_leak_is_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evals.traffic.draft.HEAD", ("# Of Odile.",))
    with pytest.raises(Leak, match=r"1 of \d+ things") as told:
        made()
    assert "Odile" not in str(told.value)


def test_a_garden_without_facts_is_sound_too() -> None:
    found = made(log=[])
    assert (found.facts, read(found).facts) == (0, {})
    assert planted([], TURNS) == Garden()
