"""Whom a server answers to which nobody signs in, and what it never answers."""

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from app import gate
from app.gate import Gate, is_page, stranger
from graph.environment import read_settings

SECRET = "a secret of thirty-two bytes, or a few more"


def scope(path: str = "/threads", client: str | None = "127.0.0.1", **headers: str) -> Scope:
    named = {"host": "127.0.0.1:2024", **{k.replace("_", "-"): v for k, v in headers.items()}}
    return {
        "type": "http",
        "method": "GET",
        "path": path,
        "root_path": "",
        "query_string": b"",
        "client": (client, 50000) if client else None,
        "headers": [(k.encode(), v.encode()) for k, v in named.items()],
    }


@pytest.mark.parametrize(
    "asked",
    [
        scope(),
        scope(client="::1", host="[::1]:2024"),
        scope(host="localhost:2024", origin="http://localhost:3000"),
        scope(origin="https://smith.langchain.com"),
        scope(origin="https://eu.smith.langchain.com"),
        scope(host="shop.localhost"),
    ],
)
def test_its_own_machine_is_no_stranger(asked: Scope) -> None:
    assert stranger(asked) == ""


@pytest.mark.parametrize(
    "asked",
    [
        scope(client="192.168.1.20"),
        scope(client="172.17.0.1"),
        scope(client=None),
        scope(client="not an address"),
        scope(x_forwarded_for="127.0.0.1"),
        scope(forwarded="for=127.0.0.1"),
        scope(host="shop.example.org"),
        scope(host="127.0.0.1.example.org"),
        scope(host="[::1"),
        scope(host=""),
        scope(origin="https://evil.example.org"),
        scope(origin="null"),
        scope(origin="https://smith.langchain.com.evil.example.org"),
        scope(origin="http://smith.langchain.com"),
    ],
)
def test_everybody_else_is(asked: Scope) -> None:
    assert "LONGHAUL_AUTH_SECRET" in stranger(asked)


@pytest.mark.parametrize(
    ("asked", "page"),
    [
        (scope("/app"), True),
        (scope("/app/chat.js"), True),
        (scope("/application"), False),
        (scope("/threads/app"), False),
        ({**scope("/app/x"), "method": "POST"}, False),
        ({**scope("/app/x"), "type": "websocket"}, False),
    ],
)
def test_only_files_of_the_page_are_the_page(asked: Scope, page: bool) -> None:
    assert is_page(asked) is page


async def status(asked: Scope) -> int:
    """What the gate answers; 200 where it lets the request pass."""
    sent: list[Message] = []

    async def answered(request: Request) -> PlainTextResponse:
        return PlainTextResponse(request.url.path)

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    inner = Starlette(routes=[Route("/{path:path}", answered)])

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
        else:
            await inner(scope, receive, send)

    await Gate(app)(asked, receive, send)
    sockets = {"websocket.accept": 200, "websocket.close": 403}
    return int(sent[0].get("status") or sockets[sent[0]["type"]])


@pytest.mark.parametrize(
    ("asked", "signed", "answer"),
    [
        (scope(), False, 200),
        (scope(client="10.0.0.9"), False, 403),
        (scope(client="10.0.0.9"), True, 200),
        (scope("/ok", client="10.0.0.9"), False, 200),
        (scope("/okay", client="10.0.0.9"), False, 403),
        (scope("/internal/truncate"), False, 404),
        (scope("/internal/debug/thread/x"), True, 404),
        (scope("/deploy"), False, 200),
        (scope("/deploy"), True, 404),
        (scope("/deploy/x/stream"), True, 404),
        (scope("/a2a/x"), True, 404),
        (scope("/mcp"), True, 404),
        ({**scope("/pre/internal/truncate"), "root_path": "/pre"}, True, 404),
        ({**scope("/noauth/threads", client="10.0.0.9"), "root_path": "/noauth"}, False, 200),
        ({**scope(client="10.0.0.9"), "type": "websocket"}, False, 403),
        ({**scope(), "type": "websocket"}, False, 200),
    ],
)
async def test_the_gate(
    monkeypatch: pytest.MonkeyPatch, asked: Scope, signed: bool, answer: int
) -> None:
    secret = {"auth_secret": SECRET} if signed else {}
    chosen = read_settings(_env_file=None, **secret)
    monkeypatch.setattr(gate, "settings", lambda: chosen)
    assert await status(asked) == answer
