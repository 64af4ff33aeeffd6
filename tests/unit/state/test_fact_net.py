"""What the patterns catch, and what they leave alone."""

import pytest

from state.fact_net import caught
from tests.unit.state.told import change, fact, netted, said, undated


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("Where is LH20481137?", [("order_number", "LH20481137")]),
        ("I have not received LH20481137", [("order_number", "LH20481137")]),
        ("LH20481137,LH20481138", [("order_number", "LH20481137"), ("order_number", "LH20481138")]),
        ("注文番号はLH80818283です。", [("order_number", "LH80818283")]),
        ("رقم الطلب وLH44556677.", [("order_number", "LH44556677")]),
        ("ＬＨ２０４８１１３７", [("order_number", "ＬＨ２０４８１１３７")]),
        ("メールはa.b+c@x-y.co.jpです", [("email", "a.b+c@x-y.co.jp")]),
        ("call +44 (0)7700 900-123 or", [("phone", "+44 (0)7700 900-123")]),
        ("XLH20481137 LH204811379 LH-20481137 LH2048113O", []),
        ("It is not LH20481137, it's LH20481138", [("order_number", "LH20481138")]),
        ("my card: 4111 1111 1111 1111, 1+1", []),
        ("my password is LH20481137", []),
    ],
)
def test_what_looks_like_one_is_caught_sign_for_sign(
    words: str, found: list[tuple[str, str]]
) -> None:
    assert netted(said(words)) == found


def test_only_the_right_speaker_is_heard() -> None:
    assert netted(said("Ticket RMA-1234?", "Is LH20481137 yours?")) == []
    assert netted(said("Ticket RMA-1234?", "There is no RMA-1234, here is RMA-1235.")) == [
        ("case_number", "RMA-1235")
    ]


@pytest.mark.parametrize(
    ("before", "answer", "found"),
    [
        ("Is it LH20481137?", "Yes, exactly", [("order_number", "LH20481137")]),
        ("Thanks. Ist es die LH20481137?", "Ja", [("order_number", "LH20481137")]),
        ("番号はLH20481137ですか？", "はい", [("order_number", "LH20481137")]),
        ("LH20481137 is late. Anything else?", "Yes", []),
        ("Is it LH20481137?", "No", []),
        ("Is it LH20481137?", "Yes, but the other one", []),
        ("Is it LH20481137 or LH20481138?", "I see", []),
    ],
)
def test_a_plain_yes_to_a_question_states_what_it_asks(
    before: str, answer: str, found: list[tuple[str, str]]
) -> None:
    assert netted(said(answer, before=before)) == found


def test_what_is_known_is_not_caught_again() -> None:
    place = said("About LH20481137 and lh20481137 and LH20481138")
    known = fact("order_number", "LH20481137")
    assert netted(place, known) == [("order_number", "LH20481138")]


def test_what_the_words_end_is_not_caught_again() -> None:
    place = said("Forget LH20481137; I meant LH20481139 instead of LH20481138")
    done = [
        change("order_number", "LH20481137", turn=5, act="retract"),
        change("order_number", "LH20481139", turn=5, old="LH20481138"),
    ]
    assert caught([place], {}, undated, done) == []


def test_a_find_says_so_and_where() -> None:
    (found,) = caught([said("Hello there, my parcel is LH20481137 I think")], {}, undated)
    assert found["fact"]["found"] == "pattern"
    assert found["fact"]["turn"] == 5
    assert found["fact"]["quote"] == "Hello there, my parcel is LH20481137"
