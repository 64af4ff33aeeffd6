"""A question that waits, and a person who takes the thread, at the terminal through the server."""

import subprocess
import sys
from pathlib import Path
from uuid import uuid4

from app.model_server.steps import call, text, tool_calls
from app.names import thread_id
from tests.integration.server.book import reply_to
from tests.integration.server.chat import chatting
from tests.integration.server.served import Served, served
from tests.integration.server.talk import Talk
from tests.integration.terminal import RUN
from tests.project import ROOT

NUMBER, OTHER = "LH20481137", "LH20481138"
ASK = f"Refund {NUMBER}"
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


def test_a_question_survives_a_kill(postgres_server: str, tmp_path: Path) -> None:
    thread = f"questions {uuid4()}"
    with served(postgres_server, tmp_path) as running:
        url = running.dev.url
        running.book.write(ASK, REFUND, REFUND_OTHER, text("It is under way."))
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
            assert chat.leave() == 0
        done = "SELECT 1 FROM store WHERE prefix LIKE %s"
        assert len(running.rows(done, "%.actions")) == 1


def test_a_person_takes_over(shared: Served, talk: Talk) -> None:
    thread, url = f"person {uuid4()}", shared.dev.url
    asking, waiting, thanks = (talk.mark(w) for w in ("A person!", "Are you there?", "Thanks"))
    shared.book.write(asking, HAND_OVER, text("A colleague comes."))
    with chatting(url, thread) as chat:
        chat.type(asking)
        chat.until_printed("a colleague has this conversation")
        chat.type(waiting)
        shared.until_stored(thread_id(thread), waiting)

        printed = at_the_desk(url, thread, "Ann here.", "/done")
        assert "why: They ask for a person.\n" in printed
        assert f"user> {waiting}\n" in printed
        assert "agent> Ann here.\n" in printed

        chat.type("")
        chat.until_printed("colleague> Ann here.\n")
        chat.type(thanks)
        chat.until_printed(f"bot> {reply_to(thanks)}\n")
        assert chat.leave() == 0
    assert reply_to(waiting) not in chat.printed
    assert at_the_desk(url, thread) == "no person has this thread\n"
