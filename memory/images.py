"""Images that came as data: kept once in the store; a message holds the reference."""

from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage
from langgraph.store.base import BaseStore, PutOp

from memory import names
from state.admission import IMAGE_SCHEME, Image

GONE = "[an image that is no longer kept]"


async def keep_images(store: BaseStore, thread: str, images: Iterable[Image]) -> None:
    """Writes each image under `thread`; the same image twice is one item."""
    ops = [PutOp(names.images(thread), i.key, {"url": i.data_url}, index=False) for i in images]
    await store.abatch(ops)


async def with_images(
    messages: Sequence[BaseMessage], store: BaseStore | None
) -> list[BaseMessage]:
    """`messages` as a model reads them: references replaced by the images' data."""
    return [await _loaded(m, store) if _refers(m) else m for m in messages]


def _refers(message: BaseMessage) -> bool:
    return isinstance(message, HumanMessage) and isinstance(message.content, list)


async def _loaded(message: BaseMessage, store: BaseStore | None) -> BaseMessage:
    blocks: list[str | dict[Any, Any]] = []
    for block in message.content:
        if isinstance(block, dict) and block["type"] == "image_url":
            url = block["image_url"]["url"]
            if url.startswith(IMAGE_SCHEME):
                blocks.append(await _from_store(url.removeprefix(IMAGE_SCHEME), store))
                continue
        blocks.append(block)
    return HumanMessage(blocks)


async def _from_store(reference: str, store: BaseStore | None) -> dict[Any, Any]:
    thread, _, key = reference.rpartition("/")
    item = await store.aget(names.images(thread), key) if store else None
    if item is None:
        return {"type": "text", "text": GONE}
    return {"type": "image_url", "image_url": {"url": item.value["url"]}}
