"""The catalogue that ships, and what is refused in a fork's."""

from dataclasses import replace

import pytest

from state.catalogue import CATALOGUE, KINDS, Kind, check_catalogue

FINE = Kind(key="pet", says="the user's pet")


def test_what_ships_serves_a_parcel_bot() -> None:
    assert set(KINDS) >= {
        "customer_name",
        "order_number",
        "case_number",
        "address",
        "email",
        "phone",
        "issue",
        "deadline",
        "budget",
        "must_not",
        "preference",
        "instruction",
        "promise",
        "refund",
        "mood",
        "self",
        "note",
    }
    assert list(KINDS) == [kind.key for kind in CATALOGUE]
    assert {k.key for k in CATALOGUE if k.by == "assistant"} >= {"promise", "refund", "self"}


@pytest.mark.parametrize(
    ("odd", "told"),
    [
        ({"key": "Pet"}, "small letters"),
        ({"key": ""}, "small letters"),
        ({"key": "a" * 41}, "small letters"),
        ({"says": " "}, "does not say"),
        ({"choices": ("a", "b"), "many": True}, "judged"),
        ({"choices": ("a", "b"), "exact": True}, "judged"),
        ({"choices": ("a", "b"), "pattern": "x"}, "judged"),
        ({"own_life": True}, "own life"),
        ({"pattern": "("}, "'('"),
        ({"pattern": "x*"}, "matches no words"),
    ],
)
def test_an_odd_kind_is_refused_by_name(odd: dict[str, object], told: str) -> None:
    kind = replace(FINE, **odd)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=f"^kind {kind.key!r}: .*") as refused:
        check_catalogue((kind,))
    assert told in str(refused.value)


def test_two_kinds_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="'pet' is listed twice"):
        check_catalogue((FINE, FINE))
    assert check_catalogue((FINE,)) == {"pet": FINE}
