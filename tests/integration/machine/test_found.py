"""What the machine found once, step by step."""

from collections.abc import Iterator

import pytest

from tests.integration.machine.conversations import Conversations
from tests.integration.machine.world import Doom


@pytest.fixture
def talks() -> Iterator[Conversations]:
    """Conversations in which nothing was said yet."""
    started = Conversations()
    yield started
    started.teardown()


def test_two_messages_that_a_crash_left_beside_the_state_are_taken_once(
    talks: Conversations,
) -> None:
    talks.talk(words=[3], rounds=[], reply=3, to=0)
    for operations in range(12):
        talks.crash(doom=Doom(2, True), words=3, rounds=[], then="go on", to=0)
        talks.crash(doom=Doom(operations, True), words=3, rounds=[], then="resend", to=0)


def test_facts_of_words_that_were_edited_are_shown_no_more(talks: Conversations) -> None:
    for _ in range(20):
        talks.talk(words=[20], rounds=[], reply=20, to=0)
        talks.edit_the_newest_message(words=20, to=0)
    assert talks.run(talks.world.state(talks.head(0)))["memory_version"] > 1
