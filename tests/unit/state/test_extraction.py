"""What is taken of some turns: model, patterns and corrections together."""

from typing import Any

from state.actions import Correction
from state.extraction import (
    Extraction,
    as_before,
    pieces,
    reopened,
    together,
    without_forgotten,
)
from state.facts import Facts
from state.operations import Operations
from state.session import SessionState, SessionUpdate
from tests.unit.state.told import fact, said


def extraction(facts: Facts | None = None, **more: Any) -> Extraction:
    return Extraction(time_zone="Europe/Berlin", facts=facts or {}, through=4, **more)


def told(*facts: dict[str, Any]) -> Operations:
    return Operations.model_validate({"facts": list(facts)})


def values(facts: Facts) -> list[tuple[str, str, str]]:
    return [(f["kind"], f["value"], f["found"]) for each in facts.values() for f in each]


def test_what_the_model_missed_is_caught_and_what_it_invented_is_not_kept() -> None:
    place = said("I'm Ann and LH20481137 is late", "I will call tomorrow.")
    named = {"kind": "customer_name", "value": "Ann", "quote": "I'm Ann"}
    promise = {
        "kind": "promise",
        "value": "call tomorrow",
        "quote": "I will call tomorrow",
        "when": "tomorrow",
    }
    invented = {"kind": "refund", "value": "50 euros", "quote": "I will refund 50 euros"}
    after = extraction().after([place], told(named, promise, invented))
    assert values(after.facts) == [
        ("customer_name", "Ann", "model"),
        ("order_number", "LH20481137", "pattern"),
        ("promise", "call tomorrow", "model"),
    ]
    assert after.facts["promise"][0]["about"] == "2026-03-05"
    assert after.facts["promise"][0]["said"] == "2026-03-04"
    assert [r.operation.value for r in after.rejected] == ["50 euros"]
    assert after.through == 5


def test_a_corrected_number_is_not_caught_as_a_second_one() -> None:
    known: Facts = {"order_number": [fact("order_number", "LH20480001")]}
    place = said("Sorry, LH20480001 was a slip of mine: LH20480007 is right")
    new = {"kind": "order_number", "value": "LH20480007", "quote": "LH20480007 is right"}
    after = extraction(known).after([place], told({**new, "old": "LH20480001"}))
    assert values(after.facts) == [("order_number", "LH20480007", "model")]
    assert after.facts["order_number"][0]["was"] == "LH20480001"


def test_a_number_that_the_words_deny_gives_way_to_the_one_that_is_caught() -> None:
    """A small model stated the old number again, and the new one not at all."""
    known: Facts = {"order_number": [fact("order_number", "LH20480001")]}
    words = "Sorry, I mistyped: it's not LH20480001, it's LH20480007."
    stale = {"kind": "order_number", "value": "LH20480001", "quote": words}
    after = extraction(known).after([said(words)], told(stale))
    assert values(after.facts) == [("order_number", "LH20480007", "pattern")]
    assert after.facts["order_number"][0]["was"] == "LH20480001"
    assert [event["event"] for event in after.events] == ["changed"]


def test_a_question_is_no_value() -> None:
    """A small model took the question that was answered with yes for a name."""
    place = said("Sí, correcto.", before="¿Su número de pedido es LH61626364?")
    asked = {"kind": "customer_name", "value": "Su número de pedido es LH61626364?"}
    after = extraction({}).after([place], told({**asked, "quote": "Sí, correcto."}))
    assert values(after.facts) == [("order_number", "LH61626364", "pattern")]
    assert [r.reason for r in after.rejected] == ["a question states no fact"]


def test_forget_that() -> None:
    known: Facts = {"phone": [fact("phone", "+44 7700 900123")]}
    place = said("Please forget my number +44 7700 900123")
    gone = {"act": "retract", "kind": "phone", "value": "+44 7700 900123", "quote": "forget my"}
    after = extraction(known).after([place], told(gone))
    assert after.facts == {}
    assert without_forgotten({**known, "note": [fact("note", "x")]}, after.events) == {
        "note": [fact("note", "x")]
    }


def test_a_date_that_the_user_names_is_theirs() -> None:
    late = said("by tomorrow please")
    due = {"kind": "deadline", "value": "tomorrow", "quote": "by tomorrow", "when": "by tomorrow"}
    evening = late.__class__(5, "2026-03-04T23:30:00+00:00", "", late.user, "")
    after = extraction().after([evening], told(due))
    assert after.facts["deadline"][0]["about"] == "2026-03-06"
    assert after.facts["deadline"][0]["said"] == "2026-03-05"


def test_a_value_that_was_put_right_in_a_question_of_ours_is_a_fact() -> None:
    corrected = {5: [Correction(kind="address", value="3 Bay St", old="12 Hill Rd")]}
    known: Facts = {"address": [fact("address", "12 Hill Rd")]}
    after = extraction(known, corrected=corrected).after([said("yes")], told())
    assert values(after.facts) == [("address", "3 Bay St", "hand")]
    assert [event["event"] for event in after.events] == ["changed"]


def test_a_turn_that_no_model_reads_keeps_what_patterns_find_and_stands_in_the_review() -> None:
    after = extraction().passed_over(said("LH20481137"))
    assert values(after.facts) == [("order_number", "LH20481137", "pattern")]
    assert [(r.turn, r.reason[:11]) for r in after.rejected] == [(5, "passed over")]
    assert after.through == 5


def test_an_edited_turn_is_undone_first() -> None:
    before: Facts = {"address": [fact("address", "Leeds")], "note": [fact("note", "a")]}
    after = extraction(before).after(
        [said("I moved to Bristol")],
        told({"kind": "address", "value": "Bristol", "quote": "I moved to Bristol"}),
    )
    ended = [e["before"] for e in after.events if e["event"] == "changed" and e["before"]]
    assert as_before(after.facts, 4, ended) == before
    by_hand = fact("phone", "+44 1", turn=9, found="hand")
    assert as_before({"phone": [by_hand]}, 4, []) == {"phone": [by_hand]}


def test_facts_come_together_once() -> None:
    one, two = fact("note", "a", turn=3), fact("note", "b", turn=1)
    assert together({"note": [one]}, [two, one]) == {"note": [two, one]}


def test_turns_go_out_in_pieces_or_alone() -> None:
    places = [said("word " * 40, turn=n) for n in range(1, 6)]
    assert pieces(places, 10_000, alone=False) == [places]
    assert pieces(places, 10_000, alone=True) == [[each] for each in places]
    cut = pieces(places, 100, alone=False)
    assert [place for piece in cut for place in piece] == places
    assert len(cut) > 1


def test_an_exchange_that_is_answered_again_takes_its_facts_back() -> None:
    older, newer = fact("note", "a dog", turn=4), fact("note", "a cat", turn=5)
    old, new = fact("budget", "20 euros", turn=3), fact("budget", "30 euros", turn=5)
    state = SessionState(
        facts={"budget": [new], "note": [older, newer]}, ended=[old], extracted_through=5
    )
    update = reopened(state, 5)
    assert update == SessionUpdate(
        facts={"budget": [old], "note": [older]}, ended=[], extracted_through=4
    )
    assert reopened({**state, **update}, 5) == SessionUpdate()
    assert reopened(state, 6) == SessionUpdate()
