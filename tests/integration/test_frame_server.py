"""What LangGraph's own command line makes of the frame: the image's recipe, and the reload."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from graph.settings import Settings
from tests.project import ROOT

CLI = [sys.executable, "-m", "langgraph_cli"]
GRAPH = """
from langgraph.graph import MessagesState, StateGraph
builder = StateGraph(MessagesState).add_node("n", lambda state: {}).add_edge("__start__", "n")
graph = builder.compile()
"""
RELOADED = "Reloading"


@dataclass(frozen=True, kw_only=True)
class DevServer:
    """A `langgraph dev` of a small checkout, with reload on."""

    checkout: Path
    url: str
    log: Path

    def reloads(self) -> int:
        return self.log.read_text(encoding="utf-8").count(RELOADED)


def _until(holds: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came to hold"
        time.sleep(0.1)


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/ok", timeout=1).is_success
    except httpx.TransportError:
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
def dev_server(tmp_path: Path) -> Iterator[DevServer]:
    """The dev server on a checkout of one graph, its data folder named as the settings name it."""
    (tmp_path / "one.py").write_text(GRAPH, encoding="utf-8")
    config = {"dependencies": ["."], "graphs": {"one": "./one.py:graph"}, "env": ".env"}
    (tmp_path / "langgraph.json").write_text(json.dumps(config), encoding="utf-8")
    port, log = _free_port(), tmp_path / "dev.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*CLI, "dev", "--no-browser", "--port", str(port)],
            cwd=tmp_path,
            env=os.environ | {"LANGGRAPH_NO_VERSION_CHECK": "1"},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        _until(lambda: _answers(url))
        yield DevServer(checkout=tmp_path, url=url, log=log)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_the_data_folder_sets_off_no_reload_and_a_source_file_does(dev_server: DevServer) -> None:
    data = dev_server.checkout / Settings.model_fields["data"].default
    for number in range(20):
        folder = data / "postgres" / str(number)
        folder.mkdir(parents=True)
        (folder / "1249_fsm").write_bytes(bytes(8192))
        (data / "chroma.sqlite3").write_text(str(number), encoding="utf-8")
        time.sleep(0.05)
    time.sleep(1)
    assert dev_server.reloads() == 0

    (dev_server.checkout / "one.py").touch()

    _until(lambda: dev_server.reloads() == 1)


def test_a_dockerfile_is_written_that_names_our_graph_saver_and_store(tmp_path: Path) -> None:
    target = tmp_path / "Dockerfile"

    subprocess.run([*CLI, "dockerfile", str(target)], cwd=ROOT, check=True, capture_output=True)

    written = target.read_text(encoding="utf-8")
    named = dict(re.findall(r"^ENV (LANG\w+)='(.*)'$", written, re.MULTILINE))
    assert json.loads(named["LANGSERVE_GRAPHS"])["longhaul"].endswith("graph/server.py:graph")
    assert json.loads(named["LANGGRAPH_CHECKPOINTER"])["path"].endswith("server.py:checkpointer")
    assert json.loads(named["LANGGRAPH_STORE"])["path"].endswith("server.py:store")
    assert written.startswith("FROM langchain/langgraph-api:3.12")
    assert "\nENV LONGHAUL_CONTAINER=true\n" in written


def test_the_image_leaves_out_what_is_secret_or_local() -> None:
    left_out = set((ROOT / ".dockerignore").read_text(encoding="utf-8").split())
    data = str(Settings.model_fields["data"].default)

    assert {".env", ".git", ".venv", data} <= left_out
