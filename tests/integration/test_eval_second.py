"""A judge over HTTP, and LangSmith by a local server: what is sent, and that nothing else is."""

import json
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID, uuid4

import pytest
from typer.testing import CliRunner

from app.model_server import faults
from app.model_server.chat import ChatRequest, text_of
from app.model_server.script import Answer, Script
from app.model_server.server import ModelServer
from app.model_server.steps import Step, text
from evals.cli import cli
from tests.unit.evals.second.runs import VERDICTS, held

NOW = datetime(2026, 3, 2, tzinfo=UTC).isoformat()


class LangSmith:
    """As much of its API as an upload needs; keeps what came in."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.datasets: dict[str, dict[str, Any]] = {}
        self.examples: dict[str, dict[str, Any]] = {}
        self.projects: list[dict[str, Any]] = []
        self.runs: list[dict[str, Any]] = []
        self.feedback: list[dict[str, Any]] = []

    def answer(self, method: str, url: str, body: Any) -> Any:
        path, query = urlsplit(url).path, parse_qs(urlsplit(url).query)
        self.asked.append((method, path))
        match method, path:
            case "GET", "/datasets":
                return [d for name, d in self.datasets.items() if name in query["name"]]
            case "POST", "/datasets":
                made = {"id": str(uuid4()), "name": body["name"], "created_at": NOW}
                return self.datasets.setdefault(body["name"], made)
            case "GET", "/examples":
                return list(self.examples.values()) if query.get("offset", ["0"]) == ["0"] else []
            case "POST", "/examples/bulk":
                self.examples |= {each["id"]: {**each, "created_at": NOW} for each in body}
                return body
            case "POST", "/sessions":
                self.projects.append(body)
                return {**body, "tenant_id": str(uuid4()), "start_time": NOW}
            case "POST", "/runs":
                self.runs.append(body)
            case "POST", "/feedback":
                self.feedback.append(body)
        return {}


@pytest.fixture
def langsmith(monkeypatch: pytest.MonkeyPatch) -> Iterator[LangSmith]:
    """Stands in for LangSmith where its client is told to look for it."""
    server = LangSmith()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply()

        def do_POST(self) -> None:
            self._reply()

        def _reply(self) -> None:
            size = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(size)) if size else None
            told = json.dumps(server.answer(self.command, self.path, body)).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    monkeypatch.setenv("LANGSMITH_ENDPOINT", f"http://127.0.0.1:{listening.server_port}")
    monkeypatch.setenv("LANGSMITH_API_KEY", "lsv2-key")
    yield server
    listening.shutdown()
    thread.join()
    listening.server_close()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a run that was held."""
    monkeypatch.chdir(tmp_path)
    held(tmp_path / "run", monkeypatch)
    return tmp_path / "run"


Judge = Callable[[Answer], Any]


@pytest.fixture
def judge(run: Path, monkeypatch: pytest.MonkeyPatch) -> Judge:
    """Judges the run by a model that answers as it is told."""

    def ask(answer: Answer) -> Any:
        with ModelServer(Script(answer)) as model:
            monkeypatch.setenv("OPENAI_BASE_URL", model.base_url)
            monkeypatch.setenv("LONGHAUL_FALLBACK_MODEL", "other")
            told = CliRunner().invoke(cli, ["judge", "--model", "big", "--out", str(run)])
            assert {each.chat.model for each in model.requests} == {"big"}
            assert {each.chat.schema_name for each in model.requests} <= {"Opinion", None}
            return told

    return ask


def lenient(request: ChatRequest) -> Step:
    """A judge who takes 'I do not know' for an answer, and else agrees on what is stale."""
    said = text_of(request.messages[-1])
    verdict = "answered" if "I do not know" in said else "stale value"
    return text(json.dumps({"verdict": verdict, "why": "so it seems"}))


def test_a_judge_gives_its_opinion_of_each_probe(judge: Judge, run: Path) -> None:
    done = judge(lenient)
    assert done.exit_code == 0, done.output
    assert f"big judged {len(VERDICTS)} of {len(VERDICTS)}" in done.output
    assert "so it seems" in done.output
    told = json.loads((run / "opinions.json").read_text(encoding="utf-8"))
    assert {each["turn"]: each["rules"] for each in told["opinions"]} == VERDICTS
    assert [each["judge"] for each in told["opinions"]][:3] == [
        "stale value",
        "stale value",
        "answered",
    ]
    assert told["agreement"] == round(2 / 7, 4)


def test_a_judge_that_is_away_or_babbles_has_no_opinion(judge: Judge) -> None:
    for answer in (lambda _: faults.unauthorized(), lambda _: text('{"verdict": "so-so"}')):
        done = judge(answer)
        assert done.exit_code == 0, done.output
        assert f"big judged 0 of {len(VERDICTS)}" in done.output


def test_an_upload_makes_examples_once_and_a_scored_run_of_each(
    run: Path, langsmith: LangSmith
) -> None:
    for number in (1, 2):
        done = CliRunner().invoke(cli, ["upload", "--dataset", "mine", "--out", str(run)])
        assert done.exit_code == 0, done.output
        assert len(langsmith.projects) == number
    assert list(langsmith.datasets) == ["mine"]
    assert len(langsmith.examples) == len(VERDICTS)
    assert len(langsmith.runs) == len(langsmith.feedback) == 2 * len(VERDICTS)
    example = next(e for e in langsmith.examples.values() if e["inputs"]["turn"] == 8)
    assert example["inputs"]["question"] == "Where do I live?"
    assert example["outputs"] == {"right": "2 Oak Row", "earlier": ["1 Elm Row"]}
    [sent, _] = [r for r in langsmith.runs if r["reference_example_id"] == example["id"]]
    assert sent["outputs"] == {"reply": "You live in 1 Elm Row."}
    [score] = [f for f in langsmith.feedback if f["run_id"] == sent["id"]]
    assert (score["key"], score["score"], score["value"]) == ("answered", False, "stale value")
    assert score["comment"].startswith("window: turn 4")
    assert sum(bool(f["score"]) for f in langsmith.feedback) == 2 * 2
    assert {UUID(p["reference_dataset_id"]) for p in langsmith.projects} == {
        UUID(langsmith.datasets["mine"]["id"])
    }


def test_nothing_is_sent_unasked_or_without_a_key(
    run: Path,
    judge: Judge,
    langsmith: LangSmith,
    services_data: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert judge(lenient).exit_code == 0
    data = ["--out", "held", "--data", str(services_data)]
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert CliRunner().invoke(cli, ["run", "typo", "--tokens", "2000", *data]).exit_code == 0
    monkeypatch.delenv("LANGSMITH_API_KEY")
    refused = CliRunner().invoke(cli, ["upload", "--dataset", "mine", "--out", str(run)])
    assert refused.exit_code == 2
    assert "LANGSMITH_API_KEY is not set" in refused.output
    assert langsmith.asked == []
    missing = CliRunner().invoke(cli, ["upload", "--out", str(run)])
    assert missing.exit_code == 2
