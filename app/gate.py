"""Which requests a server answers at all, before anybody is asked to sign in."""

import re
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from graph.environment import settings

PAGE = "/app"
"""Where the page is: files that hold no data."""

OPEN = (
    "nobody signs in to this server, so it answers its own machine only: set LONGHAUL_AUTH_SECRET "
    "or LONGHAUL_AUTH_PUBLIC_KEY"
)

_IN_PROCESS = "/noauth"
"""What LangGraph Server's own client, in the same process, has as root path; no request can."""
_HEALTH = "/ok"
_NEVER = "/internal"
"""The dev server's own tests: reads and erases every thread, and asks nobody to sign in."""
_UNSIGNED = ("/deploy", "/a2a", "/mcp", "/.well-known")
"""What knows no sign-in: Studio's button, and two protocols whose server speaks to itself."""
_STUDIO = re.compile(r"https://([a-z]+\.)?smith\.langchain\.com")
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")


class Gate:
    """Middleware around everything that the server serves."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, or refuses it."""
        refusal = _refusal(scope) if scope["type"] in ("http", "websocket") else None
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose(1008, refusal[1])(scope, receive, send)
        else:
            status, error = refusal
            answer = JSONResponse({"detail": error}, status)
            await answer(scope, receive, send)


def is_page(scope: Mapping[str, Any]) -> bool:
    """Whether only a file of the page is asked for."""
    reads = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
    return reads and _under(_path(scope), PAGE)


def stranger(scope: Mapping[str, Any]) -> str:
    """Why a server without sign-in does not answer; empty for a client of its own machine.

    A proxy, a tunnel and another site's page in the user's browser come from this machine, too:
    the first two say so in a header or in the name that they call the server by, the last says
    where it is from.
    """
    headers = {name.decode("latin-1").lower(): value for name, value in scope["headers"]}
    named = {name: value.decode("latin-1") for name, value in headers.items()}
    client = scope.get("client")
    near = client is not None and _is_loopback(client[0])
    origin = named.get("origin")
    from_here = origin is None or _STUDIO.fullmatch(origin) or _host_is_local(origin)
    proxied = any(name in named for name in _FORWARDED)
    if near and not proxied and from_here and _host_is_local(f"//{named.get('host', '')}"):
        return ""
    return OPEN


def _refusal(scope: Mapping[str, Any]) -> tuple[int, str] | None:
    path = _path(scope)
    if str(scope.get("root_path", "")).startswith(_IN_PROCESS) or path == _HEALTH:
        return None
    if _under(path, _NEVER):
        return 404, "there is no such route"
    if settings().signs_in:
        unsigned = any(_under(path, each) for each in _UNSIGNED)
        return (404, "there is no such route") if unsigned else None
    return (403, reason) if (reason := stranger(scope)) else None


def _path(scope: Mapping[str, Any]) -> str:
    return str(scope["path"]).removeprefix(str(scope.get("root_path", "")))


def _under(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _host_is_local(url: str) -> bool:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    return host == "localhost" or host.endswith(".localhost") or _is_loopback(host)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
