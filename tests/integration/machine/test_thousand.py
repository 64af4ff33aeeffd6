"""A thousand turns: the persona stays what it is, and turn 1,000 costs what turn 100 costs."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessageChunk, BaseMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from prompts.files import system_prompt
from state.audit import pin_line
from state.summary import item_tokens
from state.tokens import count_messages, count_text
from tests.integration.machine.brain import Brain
from tests.integration.machine.world import SETTINGS, World
from tests.scripted import Asked

TURNS = 1000
THREAD: Any = {"configurable": {"thread_id": "t"}}


@dataclass
class Attentive(Brain):
    """Remembers the requests."""

    sent: list[list[BaseMessage]] = field(default_factory=list)

    async def reply(self, asked: Asked, *, may_call: bool) -> AsyncIterator[AIMessageChunk]:
        self.sent.append(list(asked.messages))
        async for chunk in super().reply(asked, may_call=may_call):
            yield chunk


async def test_a_thousand_turns() -> None:
    brain = Attentive()
    world = World(brain=brain)
    world.saver, world.store = InMemorySaver(), InMemoryStore()  # type: ignore[assignment]
    world.replicas = [world._replica()]
    [replica] = world.replicas
    for _ in range(TURNS):
        message = world.new_message(20)
        async for _part in replica.graph.astream({"messages": [message]}, THREAD):
            pass
        await world.settle()
        # Only the newest checkpoint is asked for: a thousand would fill the memory.
        kept = world.saver.storage["t"][""]
        for old in sorted(kept)[:-1]:
            del kept[old]
    state = (await replica.graph.aget_state(THREAD)).values
    persona = system_prompt("support")
    heads = {m[0].text.partition("\n\n<summary")[0] for m in brain.sent}
    assert heads == {persona}
    assert len(brain.sent) == TURNS
    early, late = brain.sent[100:200], brain.sent[-100:]
    assert average(late) <= 1.1 * average(early)
    assert state["turn"] == TURNS
    assert state["summary"]["through"] > TURNS - 20
    assert item_tokens(state["summary"]["items"]) <= 2 * SETTINGS.summary_tokens
    assert sum(count_text(pin_line(p)) + 1 for p in state["summary"]["pins"]) <= 60


def average(sent: list[list[BaseMessage]]) -> float:
    return sum(count_messages(messages) for messages in sent) / len(sent)
