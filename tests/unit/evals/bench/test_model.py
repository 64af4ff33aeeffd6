"""The instant model: the conversation's replies, summaries, and a log of what it was asked."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from evals.bench.conversation import conversation
from evals.bench.model import OTHER_WORDS, REPLY, SUMMARY, InstantModel
from evals.bench.requests import read_log
from state.tokens import count_text

TALK = conversation(3)


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(InstantModel(3, 0, log=tmp_path).app())
    async with httpx.AsyncClient(transport=transport) as opened:
        yield opened


def _model(name: str, client: httpx.AsyncClient) -> ChatOpenAI:
    return ChatOpenAI(
        model_name=name,
        openai_api_base="http://model/someone/v1",
        openai_api_key=SecretStr("none"),
        stream_usage=True,
        http_async_client=client,
    )


@pytest.mark.parametrize("context", ["", "\n\n<context>\nNow: noon\n</context>"])
async def test_it_answers_as_the_conversation_goes(client: httpx.AsyncClient, context: str) -> None:
    asked: list[Any] = [("system", "be kind"), ("user", TALK[1].user + context)]

    reply = await _model(REPLY, client).ainvoke(asked)

    assert reply.text == TALK[1].reply
    assert reply.usage_metadata
    assert reply.usage_metadata["output_tokens"] == count_text(TALK[1].reply)


async def test_it_streams_in_few_pieces(client: httpx.AsyncClient) -> None:
    chunks = [chunk async for chunk in _model(REPLY, client).astream(TALK[0].user)]

    assert "".join(chunk.text for chunk in chunks) == TALK[0].reply
    assert sum(1 for chunk in chunks if chunk.text) == 4


async def test_other_words_have_an_answer_too(client: httpx.AsyncClient) -> None:
    assert (await _model(REPLY, client).ainvoke("hello")).text == OTHER_WORDS


async def test_it_writes_down_what_it_was_asked(client: httpx.AsyncClient, tmp_path: Path) -> None:
    await _model(REPLY, client).ainvoke(TALK[0].user)
    await _model(SUMMARY, client).ainvoke([("user", TALK[0].user), ("user", "Create a summary:")])

    one, two = read_log(tmp_path / "someone.jsonl")

    assert one.body["messages"][-1]["content"] == TALK[0].user
    assert (one.model, two.model) == (REPLY, SUMMARY)
    assert one.at < two.at
