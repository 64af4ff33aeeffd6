"""The server across processes: the stand-in as a command, clients elsewhere, a fork's tests."""

import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from app.model_server.server import ModelServer
from app.model_server.steps import hold, text

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]

CLIENT = """
import sys, httpx
body = {"model": "any", "stream": True, "messages": [
    {"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello"}]}
with httpx.stream("POST", sys.argv[1] + "/chat/completions", json=body) as response:
    for line in response.iter_lines():
        print(line, flush=True)
"""


@contextmanager
def stand_in(tmp_path: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    ready = tmp_path / "ready"
    command = [sys.executable, "-m", "app.model_server", "--ready-file", str(ready), *options]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            announced = process.stdout.readline().strip()
            assert ready.read_text().strip() == announced
            yield process, announced
        finally:
            process.kill()


def hello(*, model: str = "any") -> dict[str, object]:
    return {"model": model, "messages": [{"role": "user", "content": "Hello"}]}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_stand_in_serves_until_it_is_told_to_stop(
    tmp_path: Path, number: signal.Signals
) -> None:
    with stand_in(tmp_path) as (process, base_url):
        answer = httpx.post(f"{base_url}/chat/completions", json=hello(model="echoed")).json()
        assert answer["model"] == "echoed"
        assert "OPENAI_API_KEY" in answer["choices"][0]["message"]["content"]
        assert httpx.get(f"{base_url}/models").json()["data"][0]["id"] == "stand-in"
        process.send_signal(number)
        _, errors = process.communicate(timeout=10)
        assert (process.returncode, errors) == (0, "")


def test_the_strict_stand_in_refuses_and_says_so_at_its_end(tmp_path: Path) -> None:
    with stand_in(tmp_path, "--strict") as (process, base_url):
        assert httpx.post(f"{base_url}/chat/completions", json=hello()).status_code == 400
        process.terminate()
        _, errors = process.communicate(timeout=10)
        assert process.returncode == 1
        assert "request 1 is invalid" in errors


def test_a_client_in_another_process_is_held_killed_and_seen_to_leave() -> None:
    held = hold(text("one two three"), after_chunks=2)
    with ModelServer([held]) as server:
        command = [sys.executable, "-c", CLIENT, server.base_url]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
            held.reached.wait(within=30)
            assert client.stdout is not None
            lines = [client.stdout.readline() for _ in range(5)]
            client.kill()
        server.requests[0].finished.wait()
        assert "two " in lines[4]
        assert server.requests[0].disconnected


def test_the_server_process_loads_no_heavy_library() -> None:
    script = textwrap.dedent(
        """
        import sys, app.model_server.__main__
        heavy = {"langchain_core", "langgraph", "openai", "numpy", "pydantic", "chromadb"}
        print(sorted(heavy & set(sys.modules)))
        """
    )
    command = [sys.executable, "-c", script]
    loaded = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


def test_the_fixture_serves_a_forks_tests(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makepyfile(
        """
        import httpx
        from app.model_server.steps import text

        BODY = {"model": "any", "messages": [
            {"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello"}]}

        def test_that_passes(model_server):
            model_server.script.add(text("Hi"))
            answer = httpx.post(model_server.base_url + "/chat/completions", json=BODY)
            assert answer.json()["choices"][0]["message"]["content"] == "Hi"

        def test_that_runs_out(model_server):
            httpx.post(model_server.base_url + "/chat/completions", json=BODY)

        def test_that_uses_too_little(model_server):
            model_server.script.add(text("Hi"))
        """
    )
    outcome = pytester.runpytest_subprocess(
        "-p", "app.model_server.pytest_fixture", "-p", "no:cacheprovider"
    )
    outcome.assert_outcomes(passed=3, errors=2)
    outcome.stdout.fnmatch_lines(["*request 1: the script ran out*", "*a step was not used*"])
