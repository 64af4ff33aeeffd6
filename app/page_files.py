"""The page at `/app`: files that a browser is given, under a strict content security policy."""

from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.gate import PAGE

FOLDER = Path(__file__).with_name("page")
"""Where the files lie."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    # Kept by the browser, but asked for each time: a new release is never mixed with an old one.
    "Cache-Control": "no-cache",
}


class _Guarded:
    """Middleware: every answer carries the policy."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await self._app(scope, receive, with_headers)


async def _to_the_folder(_: Request) -> RedirectResponse:
    """Relative, so that it leads to the page behind a proxy that puts a path before ours, too."""
    return RedirectResponse(f".{PAGE}/")


def page_routes() -> list[BaseRoute]:
    """The routes to mount."""
    files = StaticFiles(directory=FOLDER, html=True, check_dir=False)
    return [
        Route(PAGE, _to_the_folder, methods=["GET"]),
        Mount(PAGE, app=_Guarded(files), name="page"),
    ]
