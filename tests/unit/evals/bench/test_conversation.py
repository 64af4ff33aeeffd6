"""The conversation: the same for all, about 200 tokens a turn, each planted value in one place."""

import zlib

from langchain_core.messages import AIMessage, HumanMessage

from evals.bench.conversation import EVERY, conversation, planted_in
from state.tokens import count_messages


def test_a_longer_conversation_begins_like_a_shorter_one() -> None:
    assert conversation(30)[:10] == conversation(10)
    assert conversation(10, seed=1) != conversation(10)


def test_an_exchange_has_about_two_hundred_tokens() -> None:
    said = [m for e in conversation(300) for m in (HumanMessage(e.user), AIMessage(e.reply))]

    assert 180 < count_messages(said) / 300 < 220


def test_every_value_is_found_where_it_was_planted_and_nowhere_else() -> None:
    exchanges = conversation(900)
    planted = [each.planted for each in exchanges if each.planted]

    assert len(planted) == len(set(planted)) == 900 // EVERY
    assert all(
        planted_in(f"{each.user} {each.reply}") == ([each.planted] if each.planted else [])
        for each in exchanges
    )


def test_numbers_names_and_dates_are_planted_in_turn() -> None:
    name, date, number = [each.planted or "" for each in conversation(9)[2::3]]

    assert name.replace(" ", "").isalpha()
    assert date == "2031-01-07"
    assert number.isdigit()


def test_it_does_not_compress_away() -> None:
    text = " ".join(each.reply for each in conversation(300)).encode()

    assert len(zlib.compress(text, level=9)) > len(text) / 2
