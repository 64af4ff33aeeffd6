"""The page at `/app`: files that a browser is given, under a strict content security policy."""

from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

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
    # Kept by the browser, but asked for each time: a new release is never mixed with an old one.
    "Cache-Control": "no-cache",
}

_files = StaticFiles(directory=FOLDER, check_dir=False)


async def _to_the_folder(_: Request) -> Response:
    """Relative, so that it leads to the page behind a proxy that puts a path before ours, too."""
    return RedirectResponse(f".{PAGE}/")


async def _file(request: Request) -> Response:
    """A file of the page. Raises HTTPException, 404 for what is none."""
    path = request.path_params["path"] or "index.html"
    response = await _files.get_response(path, request.scope)
    response.headers.update(_HEADERS)
    return response


ROUTES = (
    # Routes, and no mount: inside a mount the gate would not know the path for the page's.
    Route(PAGE, _to_the_folder, methods=["GET"]),
    Route(f"{PAGE}/{{path:path}}", _file, methods=["GET"]),
)
