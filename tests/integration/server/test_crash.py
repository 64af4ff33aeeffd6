"""A server that dies at every step of a turn: nothing is lost, doubled or done twice."""

from collections.abc import Iterator
from typing import get_args
from uuid import uuid4

import pytest

from app.model_server.steps import hold, text
from tests.integration.server.book import reply_to, user_words
from tests.integration.server.chat import chatting
from tests.integration.server.crash import (
    CALLING,
    DONE,
    REPLY,
    WAITING,
    Case,
    Life,
    Outcome,
    Step,
    Way,
    survive,
)
from tests.integration.server.served import Served, served

Survived = list[tuple[Case, Outcome]]


@pytest.fixture(scope="module", params=get_args(Life))
def life(request: pytest.FixtureRequest) -> Life:
    """How the server ends."""
    chosen: Life = request.param
    return chosen


@pytest.fixture(scope="module")
def mortal(postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that dies once a life; its model must have refused no request."""
    with served(postgres_server, tmp_path_factory.mktemp("mortal"), reload=True) as running:
        yield running


@pytest.fixture(scope="module")
def survived(mortal: Served, life: Life) -> Survived:
    """Every case after one death of the server."""
    return survive(mortal, life)


@pytest.mark.parametrize("way", get_args(Way))
@pytest.mark.parametrize("step", get_args(Step))
def test_every_message_is_there_once_and_is_sent(
    survived: Survived, life: Life, step: Step, way: Way
) -> None:
    [(case, outcome)] = [(c, o) for c, o in survived if (c.step, c.way) == (step, way)]

    assert outcome.words == expected_words(case, life)
    assert "\n\n".join(outcome.sent) == "\n\n".join(
        words.removeprefix("human: ") for words in outcome.words if words.startswith("human: ")
    )


@pytest.mark.parametrize("way", get_args(Way))
@pytest.mark.parametrize("step", ["tool", "result"])
def test_a_finished_tool_does_not_run_again(
    survived: Survived, life: Life, step: Step, way: Way
) -> None:
    [outcome] = [o for c, o in survived if (c.step, c.way) == (step, way)]

    again = 1 if life == "forgotten" and way == "say" else 2
    assert outcome.fetched == {DONE: 1, WAITING: again if step == "tool" else 0}


def expected_words(case: Case, life: Life) -> list[str]:
    """All that the thread of a case holds in the end, who said it and what."""
    first, second, other = (f"human: {case.words(w)}" for w in ("first", "second", "other"))
    done, waiting = (f"tool: here is {case.item(i)}" for i in (DONE, WAITING))
    begun = {"tool": [f"ai: {CALLING}", done], "result": [f"ai: {CALLING}", done]}
    words = [first, *begun.get(case.step, [])]
    if case.way == "say" and life == "forgotten" and case.step != "answered":
        # Nobody asked for the reply again: what came next is answered together with it.
        unheard = "" if case.step in begun else case.words("first") + "\n\n"
        words += [other, f"ai: {reply_to(unheard + case.words('other'))}"]
    else:
        words += [waiting] if case.step == "tool" else []
        words += [f"ai: {REPLY}"]
        if case.step == "queued" and (life != "forgotten" or case.way == "resend"):
            words += [second, f"ai: {reply_to(case.words('second'))}"]
        if case.way == "say":
            words += [other, f"ai: {reply_to(case.words('other'))}"]
    return [*words, f"human: {case.words('next')}", f"ai: {reply_to(case.words('next'))}"]


def test_terminals_go_on_with_a_server_that_has_forgotten_their_threads(mortal: Served) -> None:
    left, stayed = f"left {uuid4()}", f"stayed {uuid4()}"
    mortal.book.write(left, hold(text("Half a reply"), after_chunks=1), text(REPLY))

    with chatting(mortal.dev.url, left) as leaving, chatting(mortal.dev.url, stayed) as staying:
        leaving.type(left)
        leaving.until_printed("Half")
        mortal.dev.kill()
        staying.type(stayed)
        staying.until_printed("error:")
        mortal.dev.forget()
        mortal.dev.start()
        staying.type("/retry")
        staying.until_printed(f"bot> {reply_to(stayed)}")
    with chatting(mortal.dev.url, left) as come_back:
        come_back.until_printed(f"bot> {REPLY}")

    [request] = mortal.requests(stayed)
    assert user_words(request.chat) == [stayed]
    assert [user_words(r.chat) for r in mortal.requests(left)] == [[left], [left]]
