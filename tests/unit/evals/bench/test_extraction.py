"""The instant extractor states every planted value, and all that it states holds."""

from app.model_server.chat import ChatRequest
from evals.bench.conversation import conversation
from evals.bench.extraction import extraction
from prompts.extractor import as_written, extract_request
from state.extraction import Extraction
from state.operations import Operations
from state.said import Said

TALK = conversation(18)
SAID = [
    Said(turn=turn, at="2026-01-05T12:00:00+00:00", before="", user=e.user, assistant=e.reply)
    for turn, e in enumerate(TALK, 1)
]
START = Extraction(time_zone="UTC", facts={}, through=0)


def _read(work: Extraction, said: list[Said]) -> Extraction:
    [_, asked] = extract_request(said, work.facts)
    body = {"model": "extract-model", "messages": [{"role": "user", "content": asked.text}]}
    operations = Operations.model_validate_json(extraction(ChatRequest(body)))
    after = work.after(said, as_written(operations))
    assert after.rejected == ()
    return after


def _values(work: Extraction) -> dict[str, list[str]]:
    return {kind: [fact["value"] for fact in facts] for kind, facts in work.facts.items()}


def test_every_planted_value_becomes_a_fact() -> None:
    assert _values(_read(START, SAID[:9])) == {
        "note": [TALK[2].planted],
        "promise": [TALK[5].planted],
        "order_number": [TALK[8].planted],
    }


def test_a_promise_is_kept_when_the_next_one_is_made() -> None:
    work = START
    for each in SAID:
        work = _read(work, [each])

    assert _values(work)["promise"] == [TALK[14].planted]
    assert len(_values(work)["note"]) == len(_values(work)["order_number"]) == 2
