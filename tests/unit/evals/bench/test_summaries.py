"""The instant summariser repeats what it was shown, to every contestant in its own form."""

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.messages.utils import get_buffer_string

from app.model_server.chat import ChatRequest
from evals.bench.conversation import conversation, planted_in
from evals.bench.summaries import BUDGET, summary
from prompts.summariser import condense_request, fold_request, turn_text
from state.condense import condensed
from state.evidence import check
from state.exchanges import Exchange
from state.summary import EMPTY, Changes, Summary, applied
from state.tokens import count_text

TALK = conversation(30)
PLANTED = {each.planted for each in TALK if each.planted}


def _messages() -> list[AnyMessage]:
    return [m for each in TALK for m in (HumanMessage(each.user), AIMessage(each.reply))]


def _asked(*contents: str, schema: str | None = None) -> ChatRequest:
    body: dict[str, object] = {
        "model": "summary-model",
        "messages": [{"role": "user", "content": content} for content in contents],
    }
    if schema:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": schema}}
    return ChatRequest(body)


def _folded() -> tuple[dict[int, str], Summary]:
    messages = _messages()
    turns = {
        n: turn_text(n, Exchange(tuple(messages[2 * n - 2 : 2 * n])))
        for n in range(1, len(TALK) + 1)
    }
    request = fold_request(EMPTY, list(turns.values()))
    answer = summary(_asked(request[-1].text, schema="Changes"))
    checked = check(Changes.model_validate_json(answer), EMPTY, turns)
    assert checked.dropped == []
    return turns, applied(EMPTY, checked.changes)


def test_longhaul_gets_a_note_a_turn_that_passes_its_checks() -> None:
    turns, notes = _folded()

    assert [item["turns"] for item in notes["items"]] == [[turn] for turn in turns]
    assert {v for item in notes["items"] for v in planted_in(item["text"])} == PLANTED


def test_longhaul_gets_one_note_in_place_of_many() -> None:
    _, notes = _folded()
    [system, asked] = condense_request(notes["items"])
    answer = summary(_asked(system.text, asked.text, schema="Changes"))

    shorter = condensed(notes, notes["items"], Changes.model_validate_json(answer))

    assert len(shorter["items"]) == 1
    assert set(planted_in(shorter["items"][0]["text"])) == PLANTED


def test_the_middleware_gets_a_line_a_message_and_keeps_the_lines_it_had() -> None:
    before = HumanMessage("Here is a summary of the conversation to date:\n\n- of old, 12345678")
    shown = get_buffer_string([before, *_messages()[:4]], format="xml")

    lines = summary(_asked(f"Summarise.\n<messages>\n{shown}\n</messages>")).splitlines()

    assert lines[0] == "- of old, 12345678"
    assert len(lines) == 5


def test_langmem_gets_a_line_a_message_and_keeps_the_lines_it_had() -> None:
    said = [str(message.content) for message in _messages()[:4]]
    instruction = (
        "This is summary of the conversation so far: - of old, 12345678\n- newer\n\nExtend"
    )

    lines = summary(_asked(*said, instruction)).splitlines()

    assert lines[:2] == ["- of old, 12345678", "- newer"]
    assert len(lines) == 6


def test_prose_keeps_the_newest_within_the_budget() -> None:
    said = [str(message.content) for message in [*_messages(), *_messages()]]

    prose = summary(_asked(*said, "Create a summary of the conversation above:"))

    assert BUDGET * 0.9 < count_text(prose) <= BUDGET
    assert prose.splitlines()[-1].startswith(f"- {TALK[-1].reply[:10]}")
