"""What the handlers of LangGraph Server's authorisation let a signed-in user do."""

from types import SimpleNamespace
from typing import Any

import pytest
from langgraph_sdk import Auth

from app import auth as module
from app.auth import authenticate, change, deny, own, read_assistants, schedule
from graph.environment import read_settings
from graph.tokens import verifier
from tests.integration.server.signing_in import SECRET, as_user, forged

NOBODY, ANN = SimpleNamespace(identity=""), SimpleNamespace(identity="ann")


def ctx(user: Any = ANN) -> Any:
    return SimpleNamespace(user=user)


def scope(path: str = "/threads", **headers: str) -> dict[str, Any]:
    named = {"host": "127.0.0.1", **headers}
    listed = [(name.lower().encode(), value.encode()) for name, value in named.items()]
    client = ("127.0.0.1", 1)
    return {"type": "http", "method": "GET", "path": path, "client": client, "headers": listed}


@pytest.fixture
def signed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Users have to sign in."""
    settings = read_settings(_env_file=None, auth_secret=SECRET)
    monkeypatch.setattr(module, "settings", lambda: settings)
    monkeypatch.setattr(module, "served_verifier", lambda: verifier(settings))


@pytest.fixture
def unsigned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody signs in."""
    settings = read_settings(_env_file=None)
    monkeypatch.setattr(module, "settings", lambda: settings)
    monkeypatch.setattr(module, "served_verifier", lambda: None)


async def whom(asked: dict[str, Any]) -> str | int:
    """The user of a request, or the status of its refusal."""
    try:
        return str((await authenticate(asked))["identity"])
    except Auth.exceptions.HTTPException as refused:
        return refused.status_code


@pytest.mark.usefixtures("signed")
async def test_a_token_tells_who_asks_and_a_forged_one_does_not() -> None:
    assert await whom(scope(**as_user("ann"))) == "ann"
    assert {await whom(scope(**headers)) for headers in forged("ann").values()} == {401}
    twice = scope(**as_user("ann"))
    twice["headers"] += scope(**as_user("bob"))["headers"]
    assert await whom(twice) == 401
    assert await whom(scope("/app/page.js")) == ""


@pytest.mark.usefixtures("unsigned")
async def test_without_sign_in_only_its_own_machine_is_answered() -> None:
    assert await whom(scope()) == ""
    assert await whom({**scope(), "client": ("10.0.0.9", 1)}) == 403


@pytest.mark.usefixtures("unsigned")
async def test_without_sign_in_nothing_is_filtered() -> None:
    value: dict[str, Any] = {}
    assert [await own(ctx(NOBODY), value), await schedule(ctx(NOBODY), value)] == [None, None]
    assert await change(ctx(NOBODY), value) is None
    assert await deny(ctx(NOBODY), value) is True
    assert value == {}


@pytest.mark.usefixtures("signed")
async def test_a_user_gets_at_what_is_theirs_and_stops_runs_and_writes_nothing() -> None:
    assert await own(ctx(), {}) == {"owner": "ann"}
    assert await change(ctx(), {"action": "interrupt"}) == {"owner": "ann"}
    assert await change(ctx(), {"metadata": {"owner": "ann"}}) is False
    assert await change(ctx(), {}) is False
    assert await deny(ctx(), {}) is False
    assert await read_assistants(ctx(), {}) is True
    for handler in (own, schedule):
        with pytest.raises(Auth.exceptions.HTTPException):
            await handler(ctx(NOBODY), {})


@pytest.mark.usefixtures("signed")
async def test_a_run_to_come_is_its_creators_whatever_the_client_wrote() -> None:
    forged_user = {"configurable": {"langgraph_auth_user": {"identity": "bob"}, "x": 1}}
    value: dict[str, Any] = {"metadata": {"owner": "bob"}, "payload": {"config": forged_user}}
    assert await schedule(ctx(), value) == {"owner": "ann"}
    assert value == {
        "metadata": {"owner": "ann"},
        "payload": {
            "config": {"configurable": {"langgraph_auth_user": {"identity": "ann"}, "x": 1}}
        },
    }
