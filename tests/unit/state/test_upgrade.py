"""Opening what an older version wrote."""

import pytest
from langchain_core.messages import HumanMessage

from state.session import SCHEMA_VERSION, SessionState, SessionUpdate
from state.upgrade import upgrade

SAID = HumanMessage("Hi", id="u1")


@pytest.mark.parametrize(
    ("state", "update"),
    [
        (SessionState(messages=[SAID]), {}),
        (SessionState(messages=[SAID], turn=3), {}),
        (
            SessionState(messages=[SAID], turn=3, last_seen=1_700_000_000.5),
            {"at": "2023-11-14T22:13:20.500000+00:00", "last_seen": None},
        ),
        (
            SessionState(messages=[SAID], turn=3, last_seen=0.0, schema_version=1),
            {"at": "1970-01-01T00:00:00+00:00", "last_seen": None},
        ),
    ],
)
def test_the_layout_becomes_the_current_one(state: SessionState, update: SessionUpdate) -> None:
    assert upgrade(state) == {"schema_version": SCHEMA_VERSION, **update}


def test_a_current_thread_is_left_alone() -> None:
    assert upgrade(SessionState(messages=[SAID], turn=3, schema_version=SCHEMA_VERSION)) == {}


def test_upgrading_twice_changes_nothing_more() -> None:
    old = SessionState(messages=[SAID], turn=3, last_seen=1_700_000_000.5)
    current = SessionState(**{**old, **upgrade(old)})
    assert SessionState(**{**current, **upgrade(current)}) == current


def test_a_thread_of_a_newer_release_is_not_touched() -> None:
    newer = SessionState(messages=[SAID], turn=3, schema_version=SCHEMA_VERSION + 1)
    with pytest.raises(ValueError, match=f"schema_version {SCHEMA_VERSION + 1} .* newer release"):
        upgrade(newer)
