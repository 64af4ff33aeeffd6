"""A forgotten value is known again, though it is not kept."""

from state.extraction import Extraction
from state.fact_check import Rejected
from state.operations import Operation, Operations
from state.redaction import MARK
from state.tombstones import NONE, Tombstones, buried, is_buried, tellable, unburied
from tests.unit.state.told import change, said

SALT, OTHER = "00" * 16, "11" * 16
STONES = buried(NONE, "Ann Lee", through=5, salt=SALT)


def test_it_is_known_in_any_spelling_up_to_the_turn_of_the_forgetting() -> None:
    assert is_buried(STONES, "ann-LEE", 5)
    assert not is_buried(STONES, "Ann Lee", 6)
    assert not is_buried(STONES, "Ann", 5)
    assert not is_buried(NONE, "Ann Lee", 5)


def test_each_thread_has_a_salt_of_its_own_and_keeps_it() -> None:
    again = buried(STONES, "tea", through=6, salt=OTHER)
    assert again["salt"] == SALT
    assert again["count"] == 2
    assert is_buried(again, "tea", 6)
    assert is_buried(again, "Ann Lee", 4)
    assert buried(NONE, "Ann Lee", through=5, salt=OTHER)["stones"] != STONES["stones"]


def test_forgotten_again_it_is_kept_once_for_the_later_turn() -> None:
    again = buried(STONES, "Ann Lee", through=9, salt=OTHER)
    assert len(again["stones"]) == 1
    assert is_buried(again, "Ann Lee", 9)


def test_the_state_stays_bounded() -> None:
    full = Tombstones(
        salt=SALT, count=40, stones=[{"digest": str(n), "through": n} for n in range(40)]
    )
    assert len(buried(full, "tea", through=41, salt=SALT)["stones"]) == 32


def test_neither_it_nor_what_stands_in_its_place_is_taken_or_logged() -> None:
    changes = [
        change("customer_name", "Ann Lee", turn=5),
        change("customer_name", MARK, turn=7),
        change("customer_name", "Ann Lee", turn=7),
    ]
    assert unburied(changes, STONES) == changes[2:]
    rejected = [Rejected(Operation(value=value), 9, "why") for value in ("Ann Lee", MARK, "Bob")]
    assert tellable(rejected, STONES) == rejected[2:]


def test_an_extraction_that_is_behind_does_not_take_it() -> None:
    work = Extraction(time_zone="UTC", facts={}, through=3, forgotten=STONES)
    taken = Operations(
        facts=[Operation(kind="customer_name", value="Ann Lee", quote="I'm Ann Lee")]
    )
    assert work.after([said("I'm Ann Lee", turn=4)], taken).facts == {}
    [fact] = work.after([said("I'm Ann Lee", turn=6)], taken).facts["customer_name"]
    assert fact["turn"] == 6
    hidden = Operations(facts=[Operation(kind="customer_name", value=MARK, quote=f"I'm {MARK}")])
    after = work.after([said(f"I'm {MARK}", turn=6)], hidden)
    assert (after.facts, after.events, after.rejected) == ({}, (), ())
