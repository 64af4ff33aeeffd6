"""The page's files: what they are served with, and what their scripts may not do."""

import re
from pathlib import Path

import pytest
from httpx import ASGITransport, AsyncClient, Response
from starlette.applications import Starlette

from app.page_files import FOLDER, POLICY, ROUTES

SCRIPTS = sorted(FOLDER.glob("*.js"))
INDEX = (FOLDER / "index.html").read_text(encoding="utf-8")
UNSAFE = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function"
    r"|setAttribute\(.style|srcdoc|https?://(?!www\.w3\.org/2000/svg\b)"
)


def test_the_pattern_finds_what_makes_markup_of_data() -> None:
    assert UNSAFE.search("node.innerHTML = text")
    assert UNSAFE.search('import "https://cdn.example/x.js"')
    assert not UNSAFE.search('"http://www.w3.org/2000/svg"')


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_script_makes_markup_of_data_or_fetches_from_elsewhere(script: Path) -> None:
    assert UNSAFE.findall(script.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_every_import_is_of_a_file_that_is_there(script: Path) -> None:
    imported = re.findall(r'from "(\./[^"]+)"', script.read_text(encoding="utf-8"))

    assert [name for name in imported if not (FOLDER / name).is_file()] == []


def test_the_document_holds_no_script_and_no_style() -> None:
    assert re.findall(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", INDEX) == []


def test_what_the_scripts_look_up_by_id_is_in_the_document() -> None:
    wanted = {
        name
        for script in SCRIPTS
        for name in re.findall(r'\$\("([^"]+)"\)', script.read_text(encoding="utf-8"))
    }

    assert wanted - {*re.findall(r'\sid="([^"]+)"', INDEX)} == set()


async def fetched(path: str) -> Response:
    transport = ASGITransport(Starlette(routes=ROUTES))
    async with AsyncClient(transport=transport, base_url="http://here") as client:
        return await client.get(path)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/app/", "text/html"),
        ("/app/main.js", "text/javascript"),
        ("/app/style.css", "text/css"),
        ("/app/icon.svg", "image/svg+xml"),
    ],
)
async def test_every_file_comes_with_the_policy(path: str, kind: str) -> None:
    given = await fetched(path)

    assert given.status_code == 200
    assert given.headers["content-type"].partition(";")[0] == kind
    assert given.headers["content-security-policy"] == POLICY
    assert given.headers["x-content-type-options"] == "nosniff"


async def test_the_address_without_its_slash_leads_to_the_page() -> None:
    given = await fetched("/app")

    assert given.is_redirect
    assert given.headers["location"] == "./app/"


@pytest.mark.parametrize("path", ["/app/none.js", "/app/%2e%2e/http.py", "/app/..%2fhttp.py"])
async def test_nothing_else_is_served(path: str) -> None:
    assert (await fetched(path)).status_code == 404


def test_the_policy_lets_nothing_in_but_the_servers_own() -> None:
    allowed = dict(part.split(" ", 1) for part in POLICY.split("; "))

    assert allowed["default-src"] == "'none'"
    assert {*allowed.values()} <= {"'none'", "'self'", "'self' data:"}
