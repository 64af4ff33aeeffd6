"""Folding exchanges into a summary: all of them read, what comes back checked, gaps pinned."""

import json
import re
from collections.abc import Sequence
from html import unescape
from typing import Any

import pytest
from blockbuster import blockbuster_ctx
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage

from nodes.asking import Candidate, ModelError
from nodes.compaction import Folded, Folder, Sizes
from nodes.structured import Malformed
from prompts.files import prompt
from state.exchanges import Exchange
from state.summary import EMPTY, Summary, item_tokens
from tests.scripted import Asked, candidate, whole
from tests.unit.state.talk import item, summary

SIZES = Sizes(summary=200, pins=100, piece=300)

Reply = dict[str, Any] | str | Exception


class Summariser:
    """Gives these answers in order, then notes each turn that it is shown."""

    def __init__(self, *replies: Reply) -> None:
        self.asked: list[str] = []
        self._replies = list(replies)

    async def summarisers(self) -> list[Candidate]:
        return [candidate(self._answer)]

    async def _answer(self, asked: Asked) -> AIMessageChunk:
        words = asked.messages[-1].text
        self.asked.append(words)
        reply = self._replies.pop(0) if self._replies else noted(words)
        if isinstance(reply, Exception):
            raise reply
        return whole(reply if isinstance(reply, str) else json.dumps(reply))


def noted(words: str) -> dict[str, Any]:
    turns = re.findall(r'<turn n="(\d+)".*?<user>(.*?)</user>', words, re.DOTALL)
    notes = [note(f"User said: {' '.join(unescape(s).split()[:8])}", int(n)) for n, s in turns]
    return {"add": notes}


def note(text: str, *turns: int, kind: str = "happened") -> dict[str, Any]:
    return {"kind": kind, "text": text, "turns": list(turns)}


def talk(*said: str) -> list[Exchange]:
    return [
        Exchange((HumanMessage(words, id=f"u{n}"), AIMessage("Well.", id=f"a{n}")))
        for n, words in enumerate(said)
    ]


async def fold(
    model: Summariser, exchanges: Sequence[Exchange], before: Summary = EMPTY, sizes: Sizes = SIZES
) -> Folded:
    folder = Folder(models=model, sizes=lambda: sizes, seconds=lambda: 5.0)
    return await folder.fold(before, exchanges)


def texts(folded: Folded) -> list[str]:
    return [each["text"] for each in folded.summary["items"]]


async def test_what_is_folded_is_noted_and_covered() -> None:
    before = summary(item(1, "User has a dog."), through=4)
    folded = await fold(Summariser(), talk("hello there", "good bye"), before)
    assert texts(folded) == ["User has a dog.", "User said: hello there", "User said: good bye"]
    assert [each["turns"] for each in folded.summary["items"]] == [[1], [5], [6]]
    assert folded.summary["through"] == 6
    assert (folded.dropped, folded.finds, folded.pinned) == ([], [], [])


async def test_every_word_of_what_is_folded_is_shown() -> None:
    said = ["word " * 40, "注文 & <b> " * 300, "end"]
    model = Summariser()
    await fold(model, talk(*said))
    turns = [asked.partition("\n\nTurns:\n")[2].rpartition("\n\n")[0] for asked in model.asked]
    assert len(turns) > 2
    shown = unescape("".join(turns)).replace("\n", "")
    assert all(words.strip() in shown for words in said)


async def test_later_pieces_are_shown_the_notes_of_the_earlier() -> None:
    model = Summariser()
    await fold(model, talk("first " + "word " * 200, "second " + "word " * 200))
    assert "User said: first" in model.asked[1]


async def test_what_the_notes_lack_is_asked_for_once_more_and_then_pinned() -> None:
    said = talk("my order is 4471 and it is late", "my code is 5582 and nothing else")
    first = {"add": [note("User waits for an order.", 1), note("User has a code.", 2)]}
    again = {"reword": [{"id": 1, "text": "User waits for order 4471.", "turns": [1]}]}
    model = Summariser(first, again)
    folded = await fold(model, said)
    assert [find.value for find in folded.finds] == ["4471", "5582"]
    assert "- 4471 (turn 1: " in model.asked[1]
    assert texts(folded) == ["User waits for order 4471.", "User has a code."]
    assert [pin["value"] for pin in folded.summary["pins"]] == ["5582"]
    assert [find.value for find in folded.pinned] == ["5582"]


@pytest.mark.parametrize("useless", ["No.", '{"add": [{"kind": "gossip", "text": "x"}]}'])
async def test_no_second_answer_is_no_failure(useless: str) -> None:
    first = {"add": [note("User waits for an order.", 1)]}
    folded = await fold(Summariser(first, useless), talk("my order is 4471"))
    assert [pin["value"] for pin in folded.summary["pins"]] == ["4471"]
    assert folded.dropped[0].startswith("not noted later: ")


async def test_a_long_list_of_finds_leaves_room_for_the_turns() -> None:
    said = talk(
        *(f"numbers {', '.join(str(n * 1000 + i) for i in range(20))}" for n in range(1, 9))
    )
    model = Summariser()
    folded = await fold(model, said)
    for asked in model.asked:
        missing = re.findall(r"^- \d+ \(turn", asked, re.MULTILINE)
        assert len(missing) < 20
    assert len(folded.finds) > 60


@pytest.mark.parametrize(
    "useless",
    [
        {"add": []},
        {},
        {"add": [note("...", 1)]},
        {"add": [note("User's order is 9999.", 1)]},
        {"add": [note("User knows Barbara.", 1)]},
        {"close": [1]},
        "Nothing to note.",
        "",
    ],
    ids=str,
)
async def test_an_answer_that_notes_nothing_of_the_turns_is_a_failure(useless: Reply) -> None:
    before = summary(item(1, "User has a dog.", turns=[2]), through=4)
    kept = json.dumps(before)
    with pytest.raises(ModelError):
        await fold(Summariser(useless), talk("hello there"), before)
    assert json.dumps(before) == kept


async def test_a_later_piece_that_fails_fails_the_whole() -> None:
    said = talk("first " + "word " * 200, "second " + "word " * 200)
    with pytest.raises(ModelError):
        await fold(Summariser(noted('<turn n="1"><user>first</user>'), TimeoutError()), said)


async def test_a_summary_that_is_too_long_is_condensed() -> None:
    old = [item(n, f"User did thing {n} in the garden.", turns=[n]) for n in range(1, 21)]
    shorter = {"add": [note("User did things 1 and 2.", 1, 2)], "close": list(range(1, 11))}
    model = Summariser(noted('<turn n="21"><user>hello there</user>'), shorter)
    folded = await fold(model, talk("hello there"), summary(*old, through=20))
    assert model.asked[1].startswith("Notes:\n")
    assert texts(folded)[0] == "User did things 1 and 2."
    assert item_tokens(folded.summary["items"]) <= SIZES.summary


@pytest.mark.parametrize("useless", ["No.", {"add": []}, {"add": [note("User met Boris.", 1)]}])
async def test_a_model_that_does_not_shorten_is_not_asked_for_ever(useless: Reply) -> None:
    old = [item(n, f"User did thing {n} in the garden.", turns=[n]) for n in range(1, 31)]
    old += [item(31, "User wants no calls.", kind="decided", turns=[1])]
    model = Summariser(noted('<turn n="31"><user>hello there</user>'), useless)
    folded = await fold(model, talk("hello there"), summary(*old, through=30))
    assert len(model.asked) == 2
    assert item_tokens(folded.summary["items"]) <= SIZES.summary
    assert "User wants no calls." in texts(folded)
    assert any(line.startswith("no room: - [t1] User did thing 1 ") for line in folded.dropped)


@pytest.mark.parametrize("shorter", [{"add": [note("User did things.", 1)]}, "No."])
async def test_a_value_that_only_a_dropped_note_held_is_pinned(shorter: Reply) -> None:
    names = ["Bramble", "Oswin", "Halvorsen"]
    old = [item(n, f"User walked with {name}.", turns=[n]) for n, name in enumerate(names, 1)]
    old += [item(n, f"User did thing {n} in the garden.", turns=[n]) for n in range(4, 31)]
    if isinstance(shorter, dict):
        shorter = {**shorter, "close": list(range(1, 16))}
    model = Summariser(noted('<turn n="31"><user>hello there</user>'), shorter)
    folded = await fold(model, talk("hello there"), summary(*old, through=30))
    assert not any(name in " ".join(texts(folded)) for name in names)
    pins = {pin["value"]: pin["turn"] for pin in folded.summary["pins"]}
    assert pins == {"Bramble": 1, "Oswin": 2, "Halvorsen": 3}


async def test_what_a_model_will_not_fold_is_passed_over_with_its_values_pinned() -> None:
    folder = Folder(models=Summariser(), sizes=lambda: SIZES, seconds=lambda: 5.0)
    before = summary(item(1, "User has a dog."), through=4)
    folded = folder.pass_over(before, talk("my order is 4471"))
    assert folded.summary["items"] == before["items"]
    assert folded.summary["through"] == 5
    assert [pin["value"] for pin in folded.summary["pins"]] == ["4471"]
    assert folded.dropped == ["passed over: turn 5"]


async def test_no_file_is_read_on_the_event_loop() -> None:
    prompt.cache_clear()
    with blockbuster_ctx():
        await fold(Summariser(), talk("hello there"))


async def test_a_refusal_is_no_summary() -> None:
    class Refusing(Summariser):
        async def _answer(self, asked: Asked) -> AIMessageChunk:
            reply = await super()._answer(asked)
            reply.additional_kwargs["refusal"] = "No."
            return reply

    with pytest.raises(Malformed, match="refused"):
        await fold(Refusing(), talk("hello there"))
