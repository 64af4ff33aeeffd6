"""Personal data is replaced: the same by the same everywhere, and by what has the same form."""

import re
from collections.abc import Callable
from random import Random

import pytest

from evals.traffic.disguise import Disguise
from evals.traffic.personal import called, named_in
from state.catalogue import KINDS
from state.secrets import secrets

Hide = Callable[..., list[str]]


def hidden(*texts: str, names: tuple[str, ...] = (), keep: tuple[str, ...] = ()) -> list[str]:
    disguise = Disguise(Random(7), names=called(texts) | set(names), keep=keep)  # noqa: S311
    first = [disguise(text) for text in texts]
    return [disguise.rest(text) for text in first]


def test_a_name_is_the_same_everywhere_and_in_every_case() -> None:
    first, second, third = hidden(
        "Hi, I'm Priya Nair.", "Thanks, Priya.", "yes this is priya, PRIYA for short. Priya's cat"
    )
    name = re.fullmatch(r"Hi, I'm (\w+) (\w+)\.", first)
    assert name is not None
    assert name[1][0].isupper()
    assert second == f"Thanks, {name[1]}."
    assert third == f"yes this is {name[1].lower()}, {name[1].upper()} for short. {name[1]}'s cat"


@pytest.mark.parametrize(
    ("words", "gone"),
    [
        ("My order LH20481137 is late.", "LH20481137"),
        ("Write to priya.nair@gmail.com", "gmail"),
        ("Call +44 7700 900123", "7700 900123"),
        ("Call 0161 496 0327 now", "496 0327"),
        ("It is for 12 Hill Rd, Leeds LS1 4XY", "Leeds"),
        ("It is for 12 Hill Rd, Leeds LS1 4XY", "LS1 4XY"),
        ("It is for 12 Hill Rd, Leeds LS1 4XY", "12"),
        ("Ich wohne in der Gneisenaustraße 12, 10961 Berlin.", "Gneisenau"),
        ("Ich wohne in der Gneisenaustraße 12, 10961 Berlin.", "12"),
        ("Ich wohne in der Gneisenaustraße 12, 10961 Berlin.", "Berlin"),
        ("Ich heiße Jürgen Weiß.", "Weiß"),
        ("Fragen Sie Frau Obermaier.", "Obermaier"),
        ("My card is 4111 1111 1111 1111", "1111"),
        ("The password is hunter2", "hunter2"),
        ("IBAN DE89 3704 0044 0532 0130 00", "0532"),
        ("See https://shop.example/track?id=abc", "shop"),
        ("Invoice 2026-0418, contract W-77120-B", "0418"),
        ("Invoice 2026-0418, contract W-77120-B", "77120"),
        ("It ends in 4471.", "4471"),
        ("It is fine.\nBest wishes\nOdile Varga", "Varga"),
        ("Меня зовут Инна, а брата Олегом.", "Олег"),
    ],
)
def test_what_has_the_form_of_personal_data_goes(words: str, gone: str) -> None:
    [new] = hidden(words)
    assert gone not in new
    assert len(new.split()) == len(words.split())


@pytest.mark.parametrize(
    "words",
    [
        "It cost 1,240 euros on 2026-08-21, at 10:30am, the 16th of May, a Monday.",
        "In 2025 we were 24 guests, 250ml each, a 19-year-old T-shirt, 1300 euros.",
        "What is the size of the A4 paper, as a PDF? I will see in June.",
        "Das Klavier ist von 1912 und steht im vierten Stock.",
        "12/03/2026 or 12.3.26",
    ],
)
def test_dates_amounts_and_plain_words_stay(words: str) -> None:
    assert hidden(words) == [words]


def test_patterns_still_match_what_takes_the_place() -> None:
    order, mail, phone, case, card = hidden(
        "LH20481137", "a.b@c.de", "+44 7700 900123", "TK-55218", "4111 1111 1111 1111"
    )
    for kind, value in (("order_number", order), ("email", mail), ("phone", phone)):
        form = KINDS[kind].form
        assert form is not None
        assert form.fullmatch(value)
    assert re.fullmatch(r"TK-\d{5}", case)
    assert secrets(card) == [card]


def test_a_slip_stays_a_slip_and_the_end_of_a_number_its_end() -> None:
    [new] = hidden("LH20481137, no: LH20481173, or LH20481138? Card 9834 5512, it ends in 5512.")
    right, swapped, other, *_ = re.findall(r"LH\d{8}", new)
    assert sorted(right) == sorted(swapped)
    assert right != swapped
    assert sum(a != b for a, b in zip(right, other, strict=True)) == 1
    whole = re.search(r"Card \d{4} (\d{4}), it ends in (\d{4})", new)
    assert whole is not None
    assert whole[1] == whole[2] != "5512"


def test_what_is_known_in_one_place_goes_in_all() -> None:
    first, second = hidden("It ends in 4471.", "It was 4471 euros.")
    number = re.findall(r"\d{4}", first)
    assert re.findall(r"\d{4}", second) == number != ["4471"]


def test_a_name_in_a_script_without_capitals_goes_inside_words() -> None:
    [new] = hidden("私は山田花子です。", names=("山田花子",))
    assert re.fullmatch(r"私は[^a-z]{4}です。", new)
    assert "山田" not in new


def test_a_word_can_be_kept_and_little_words_are_no_names() -> None:
    kept, renamed = hidden(
        "Ask Bramble, or Will.", "It will be Will.", names=("Will",), keep=("Bramble",)
    )
    assert "Bramble" in kept
    assert "Will" not in kept
    assert renamed.startswith("It will be ")
    assert "Will" not in renamed


def test_names_of_an_address_are_its_words_that_are_no_street_words() -> None:
    assert named_in("12 Hill Rd, Leeds LS1 4XY") == {"Hill", "Leeds"}


def test_two_draws_are_not_the_same() -> None:
    texts = ["LH20481137 is Priya's, she said, and Priya waits."]
    draws = (Random(seed) for seed in (1, 2))  # noqa: S311
    one, two = (Disguise(draw, names=called(texts))(texts[0]) for draw in draws)
    assert one != two
