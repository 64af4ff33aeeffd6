"""The instant extractor states every planted value, and all that it states holds."""

from app.model_server.chat import ChatRequest
from evals.bench.conversation import conversation
from evals.bench.extraction import extraction
from prompts.extractor import as_written, extract_request
from state.extraction import Extraction
from state.operations import Operations
from state.said import Said

TALK = conversation(9)
SAID = [
    Said(turn=turn, at="2026-01-05T12:00:00+00:00", before="", user=e.user, assistant=e.reply)
    for turn, e in enumerate(TALK, 1)
]


def test_every_planted_value_becomes_a_fact() -> None:
    [_, asked] = extract_request(SAID, {})
    body = {"model": "extract-model", "messages": [{"role": "user", "content": asked.text}]}

    operations = Operations.model_validate_json(extraction(ChatRequest(body)))
    work = Extraction(time_zone="UTC", facts={}, through=0).after(SAID, as_written(operations))

    assert work.rejected == ()
    values = {kind: [fact["value"] for fact in facts] for kind, facts in work.facts.items()}
    assert values == {
        "note": [TALK[2].planted],
        "promise": [TALK[5].planted],
        "order_number": [TALK[8].planted],
    }
