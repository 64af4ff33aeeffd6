"""The invariants, as far as they can be read off a state, its transcript and its past."""

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import dropwhile

from langchain_core.messages import AIMessage

from graph.settings import Settings
from state.audit import pin_line
from state.exchanges import Exchange, group
from state.fact_budget import fitting, flat
from state.session import SessionState
from state.summary import EMPTY, MOST_TURNS, item_tokens
from state.tokens import count_text
from tests.integration.machine.brain import POISON, Brain
from tests.integration.machine.truth import Said, without_stopped

_FIELDS = 20
"""More than a state has."""


def continues(
    now: Sequence[Said],
    base: Sequence[Said],
    asked: Sequence[Said],
    brain: Brain,
    stopped: Mapping[str, AIMessage],
) -> None:
    """What is there begins with all that was said, once and in order; the rest are replies.

    Results of a turn that broke off may come before the next words.
    """
    plain, told = without_stopped(now), without_stopped(base)
    assert plain[: len(told)] == told, "what was said"
    rest = plain[len(told) :]
    if asked:
        rest = [*dropwhile(lambda record: record.type == "tool", rest)]
    assert rest[: len(asked)] == list(asked), "what was asked"
    for record in rest[len(asked) :]:
        assert record.type != "human", "a message that nobody sent"
        assert record.type == "tool" or record.text in brain.replies, "a reply that nobody gave"
    assert len({record.id for record in now}) == len(now), "a message twice"
    for place, record in enumerate(now):
        if record.stopped:
            assert record.text in brain.partial, "a stopped reply that nobody gave"
            known = stopped.get(now[place - 1].id)
            assert known is None or known.text == record.text, "a stopped reply elsewhere"


def step(before: SessionState, after: SessionState) -> None:
    """The summary changes with its version only, by one compaction at most."""
    old, new = before.get("memory_version", 0), after.get("memory_version", 0)
    was, now = before.get("summary", EMPTY), after.get("summary", EMPTY)
    assert new - old in {0, 1}, "compactions of one turn"
    if new == old:
        assert json.dumps(was) == json.dumps(now), "a summary changed without a compaction"
    else:
        assert now["through"] > was["through"], "a compaction without progress"


def bounded(state: SessionState, settings: Settings) -> None:
    """Everything but the window has a size that the conversation's length does not touch."""
    summary = state.get("summary", EMPTY)
    assert item_tokens(summary["items"]) <= 2 * settings.summary_tokens, "size of the summary"
    pins = sum(count_text(pin_line(pin)) + 1 for pin in summary["pins"])
    assert pins <= settings.pins_tokens, "size of the pins"
    assert fitting(state.get("facts", {}), settings.facts_tokens)[1] == [], "size of the facts"
    assert fitting(state.get("pinned", {}), settings.facts_tokens)[1] == [], "size of those pinned"
    for item in summary["items"]:
        assert 0 < len(item["turns"]) <= MOST_TURNS, "turns of an item"
        assert 0 < min(item["turns"]) <= max(item["turns"]) <= summary["through"], "turns folded"
    assert len({item["id"] for item in summary["items"]}) == len(summary["items"]), "ids of items"
    assert len(state) <= _FIELDS, "fields of the state"


def finished(state: SessionState, now: Sequence[Said], transcript: Sequence[Said]) -> None:
    """After a whole turn it is numbered and written down, and the window keeps an exchange."""
    window = group(state["messages"])
    turn = state["turn"]
    assert turn == state.get("summary", EMPTY)["through"] + len(window), "the number of the turn"
    assert state["archived_through"] == turn, "the last turn written down"
    assert list(transcript) == list(now), "the transcript"
    assert window[-1].answered, "the reply"
    if turn > 1:
        assert len(window) >= 2, "the previous exchange"


def facts(state: SessionState, branch: Sequence[Exchange]) -> None:
    """Each fact was said, in its words, in its turn of this branch."""
    for fact in [*flat(state.get("facts", {})), *flat(state.get("pinned", {}))]:
        words = "\n".join(message.text for message in branch[fact["turn"] - 1].messages)
        assert fact["quote"] in words, f"{fact['value']} was not said in turn {fact['turn']}"


def was_read(
    before: SessionState, after: SessionState, brain: Brain, passed: Collection[int]
) -> None:
    """What left the window was shown whole to a summariser, and to an extractor.

    Or it is logged as passed over; only what no model reads is.
    """
    first = before.get("summary", EMPTY)["through"] + 1
    last = after.get("summary", EMPTY)["through"]
    if not before.get("messages"):
        return
    for turn, exchange in enumerate(group(before["messages"]), first):
        if turn > last:
            continue
        refused = any(POISON in message.text for message in exchange.messages)
        for message in exchange.messages:
            whole = "".join(message.text.split())
            assert turn in passed or whole in brain.shown, f"turn {turn} was not read"
        for asked in exchange.asked:
            assert refused or asked.text.split()[0] in brain.read, f"facts of turn {turn}"
