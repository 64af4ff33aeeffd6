"""What each strategy would have shown the model."""

from evals.run.anatomy import tokens_of
from evals.run.records import Sent
from evals.run.strategies import LAST, STRATEGIES, tokens_otherwise
from evals.run.stretch import Held
from tests.unit.evals.run.samples import sample_course

HEAD = (
    'Be kind.\n\n<summary turns="1-3">\n- [t1] Moved.\n</summary>\n\n<facts>\n- note: x\n</facts>'
)
LATE = (
    "\n\n<context>\nAlso known:\n- note: y [t2, 2026-01-01]\nFrom earlier in this conversation:\n"
    '<earlier turn="1">\nuser> Now: never\n</earlier>\nNow: Monday, 09:00 (UTC)\n</context>'
)
SENT = [
    Sent(role="system", content=HEAD),
    Sent(role="user", content="Recent."),
    Sent(role="assistant", content="Yes."),
    Sent(role="user", content="Asked?" + LATE),
]
HISTORY = sample_course().turns[:10]
NOW = "\n\n<context>\nNow: Monday, 09:00 (UTC)\n</context>"


def seen(name: str, history: list[Held] = HISTORY) -> list[str]:
    return [message.content for message in STRATEGIES[name](SENT, history)]


def test_everything_is_the_plain_history_without_what_models_answered() -> None:
    head, *said, newest = seen("everything")
    assert head == "Be kind."
    scripted = [held for held in HISTORY if held.reply is not None]
    assert len(scripted) < len(HISTORY)
    assert said == [words for held in scripted for words in (held.user, held.reply)]
    assert newest == "Asked?" + NOW


def test_last_n_is_its_end() -> None:
    long = HISTORY[:7] * 3
    head, *said, newest = seen("last-n", long)
    assert (head, newest) == ("Be kind.", "Asked?" + NOW)
    assert len(said) == 2 * LAST
    assert said[-1] == long[-1].reply


def test_the_summary_goes_without_facts_and_search() -> None:
    head, *window, newest = seen("summary")
    assert "<summary" in head
    assert "<facts>" not in head
    assert window == ["Recent.", "Yes."]
    assert newest == "Asked?" + NOW


def test_the_facts_go_without_summary_and_search() -> None:
    head, *window, newest = seen("facts")
    assert "<facts>" in head
    assert "<summary" not in head
    assert window == ["Recent.", "Yes."]
    assert "note: y" in newest
    assert "earlier" not in newest
    assert newest.endswith("Now: Monday, 09:00 (UTC)\n</context>")


def test_words_without_late_context_stay() -> None:
    plain = [SENT[0], Sent(role="user", content="Asked?")]
    assert STRATEGIES["last-n"](plain, [])[-1] == plain[-1]


def test_what_each_would_have_sent_is_counted_without_asking() -> None:
    found = tokens_otherwise(["everything", "facts"], SENT, HISTORY)
    assert list(found) == ["everything", "facts"]
    sent = STRATEGIES["everything"](SENT, HISTORY)
    assert found["everything"] == sum(map(tokens_of, sent))
    assert found["facts"] < found["everything"]
