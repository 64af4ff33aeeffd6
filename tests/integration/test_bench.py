"""The benchmark itself: it runs, its figures have their shape, and it sees what is lost."""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

from evals.bench.contestant import Contestant, Place, reply_model
from evals.bench.conversation import conversation
from evals.bench.databases import Size
from evals.bench.figures import Figures, figures
from evals.bench.play import play
from evals.bench.processes import instant_model
from evals.bench.run import Played, Run
from evals.bench.spans import spans
from tests.project import ROOT

TURNS = 12
View = Callable[[Sequence[AnyMessage]], Sequence[AnyMessage]]


def _contestant(view: View, model_url: str) -> Contestant:
    model = reply_model(Place(database="", model_url=f"{model_url}/someone/v1"))

    async def call_model(state: MessagesState) -> MessagesState:
        shown = view(state["messages"])
        return {"messages": [await model.ainvoke([SystemMessage("be kind"), *shown])]}

    builder = StateGraph(MessagesState)
    builder.add_node("call_model", call_model)
    builder.add_edge(START, "call_model")
    graph = builder.compile(checkpointer=InMemorySaver())
    return Contestant(graph=graph, reply_node="call_model")


async def _measured(view: View, folder: Path) -> Figures:
    exchanges = conversation(TURNS)
    async with instant_model(TURNS, 0, folder) as url:
        block = await play(_contestant(view, url), exchanges, first=1)
    whole = Played(
        turns=range(1, TURNS + 1),
        wall_ns=block.wall_ns,
        cpu_ns=block.cpu_ns,
        grown=Size(database=0, log=0),
    )
    run = Run(name="someone", turns=block.turns, blocks=[whole])
    return figures(run, folder / "someone.jsonl", exchanges, spans(TURNS))


@pytest.mark.parametrize(
    ("view", "lost"),
    [
        pytest.param(lambda messages: messages, 0.0, id="sends everything"),
        pytest.param(lambda _: [HumanMessage("hello")], 1.0, id="drops everything"),
        # Of the values in turns 3, 6 and 9 the last seven messages hold the newest.
        pytest.param(lambda messages: messages[-7:], 2 / 3, id="keeps the end"),
    ],
)
async def test_what_a_contestant_drops_is_counted_as_lost(
    view: View, lost: float, tmp_path: Path
) -> None:
    found = await _measured(view, tmp_path)

    assert found.fate.lost == pytest.approx(lost)
    assert found.turns == len(found.tokens) == TURNS


@pytest.mark.timeout(900)
def test_the_command_measures_and_writes_its_figures(
    services_data: Path, postgres_server: str, tmp_path: Path
) -> None:
    assert postgres_server
    figures_file, picture = tmp_path / "bench.json", tmp_path / "tokens.svg"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "evals.bench", "--only", "langchain-tuned,longhaul"),
            *("--turns", str(TURNS), "--long-turns", str(TURNS), "--waiting-turns", "0"),
            *("--json", str(figures_file), "--picture", str(picture)),
            *("--data", str(services_data)),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "What must hold" in done.stdout
    found = json.loads(figures_file.read_text(encoding="utf-8"))
    assert list(found["contestants"]) == ["langchain-tuned", "longhaul"]
    for each in found["contestants"].values():
        assert each["fate"]["lost"] == 0.0
        assert len(each["tokens"]) == TURNS
        assert min(each["first"].values()) > 0
    assert found["contestants"]["longhaul"]["fate"]["stored"] == 1.0
    assert found["ours_over_theirs"]["longhaul"]["total_tokens"] == 1.0
    assert found["old"]["turns"] == TURNS > found["young"]["turns"]
    held = {each["what"]: each["holds"] for each in found["checks"]}
    assert held["share of planted values lost"]
    assert held["requests that repeat the last one, between compactions"]
    assert picture.read_text(encoding="utf-8").startswith("<svg")
