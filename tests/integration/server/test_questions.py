"""A question that waits, and a person who takes the thread, at the terminal through the server."""

import subprocess
import sys
from pathlib import Path
from uuid import uuid4

from app.model_server.steps import call, text, tool_calls
from app.names import thread_id
from tests.integration.server.chat import RUN, chatting
from tests.integration.server.served import served
from tests.project import ROOT

NUMBER, OTHER = "LH20481137", "LH20481138"
ASK, PERSON = f"Refund {NUMBER}", "I want a person"
REFUND = tool_calls(call("refund_parcel", {"number": NUMBER}))
REFUND_OTHER = tool_calls(call("refund_parcel", {"number": OTHER}))
HAND_OVER = tool_calls(call("hand_over", {"reason": "They ask for a person."}))


def at_the_desk(url: str, thread: str, *lines: str) -> str:
    """What the person's command prints."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, "handover", "--server", url, "--thread", thread],
        cwd=ROOT,
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=90,
        check=True,
    )
    return done.stdout


def test_questions_survive_a_kill_and_a_person_takes_over(
    postgres_server: str, tmp_path: Path
) -> None:
    thread = f"questions {uuid4()}"
    with served(postgres_server, tmp_path) as running:
        url = running.dev.url
        running.book.write(ASK, REFUND, REFUND_OTHER, text("It is under way."))
        running.book.write(PERSON, HAND_OVER, text("A colleague comes."))
        with chatting(url, thread) as chat:
            chat.type(ASK)
            chat.until_printed(f"bot> Shall I refund parcel {NUMBER}?\n")
            assert chat.leave() == 0

        running.dev.kill()
        running.dev.forget()
        running.dev.start()

        with chatting(url, thread) as chat:
            chat.until_printed(f"bot> Shall I refund parcel {NUMBER}?\n")
            chat.type(OTHER)
            chat.until_printed(f"bot> Shall I refund parcel {OTHER}?\n")
            chat.type("yes")
            chat.until_printed("bot> It is under way.\n")
            chat.type(PERSON)
            chat.until_printed("a colleague has this conversation")
            chat.type("Are you there?")
            running.until_stored(thread_id(thread), "Are you there?")
            printed = at_the_desk(url, thread, "Ann here.", "/done")
            assert "why: They ask for a person.\n" in printed
            assert f"- order_number: {OTHER} (before: {NUMBER})" in printed
            assert "user> Are you there?\n" in printed
            assert "agent> Ann here.\n" in printed

            chat.type("")
            chat.until_printed("colleague> Ann here.\n")
            chat.type("Thanks")
            chat.until_printed("bot> I hear you: Thanks\n")
            assert chat.leave() == 0
        assert at_the_desk(url, thread) == "no person has this thread\n"
        assert len(running.rows("SELECT 1 FROM store WHERE prefix LIKE '%.actions'")) == 1
