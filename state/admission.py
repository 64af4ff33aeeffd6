"""The door: what an end user may bring into a conversation, checked before any reducer runs."""

import base64
import binascii
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from langchain_core.messages import HumanMessage, convert_to_messages

from state.errors import InputRefused
from state.text import MAX_DEPTH, clean, storable_id, too_deep

AT = "at"
"""Key of a user message's `additional_kwargs`: when it came in, ISO 8601 with an offset."""

IMAGE_SCHEME = "longhaul-image:"
"""How the URL of a kept image begins; then come its thread, a slash and its key."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much one input may hold."""

    message_chars: int
    messages: int
    image_bytes: int
    images: int


@dataclass(frozen=True)
class Image:
    """An image that came as data: kept beside the conversation, named by its content."""

    key: str
    data_url: str


@dataclass
class Admitted:
    """User messages fit for the state, and the images that they refer to."""

    messages: list[HumanMessage] = field(default_factory=list)
    images: list[Image] = field(default_factory=list)


def admit(
    payload: object, *, thread: str, limits: Limits, now: datetime, new_id: Callable[[], str]
) -> Admitted:
    """The user messages of `payload` (`{"messages": ...}`), cleaned, dated and stripped of marks.

    Images that came as data are taken out; a reference under `thread` stands in their place.
    Raises InputRefused, naming the field and the value, for anything else than new user messages.
    """
    if too_deep(payload):
        raise InputRefused(f"the input is nested deeper than {MAX_DEPTH} levels")
    if not isinstance(payload, dict):
        raise InputRefused(f"input must be an object with 'messages', not {payload!r:.80}")
    if extra := sorted(str(key) for key in payload.keys() - {"messages"}):
        raise InputRefused(f"input field {extra[0]!r:.80} cannot be written; only 'messages' can")
    given = payload.get("messages")
    listed = given if isinstance(given, list) else [given]
    if given is None or not listed:
        raise InputRefused("input field 'messages' is empty")
    if len(listed) > limits.messages:
        raise InputRefused(
            f"'messages' holds {len(listed)} messages; at most {limits.messages} at once"
        )
    admitted = Admitted()
    door = _Door(limits, f"{IMAGE_SCHEME}{thread}/", admitted.images)
    for message in _read(listed):
        content = _content(message.content, door)
        admitted.messages.append(
            HumanMessage(
                content=content,
                id=_message_id(message.id, new_id),
                additional_kwargs={AT: now.isoformat()},
            )
        )
    ids = [m.id for m in admitted.messages]
    if len(set(ids)) < len(ids):
        raise InputRefused(f"two messages of one input share the id {max(ids, key=ids.count)!r}")
    return admitted


@dataclass(frozen=True)
class _Door:
    limits: Limits
    prefix: str
    images: list[Image]


def _read(listed: Sequence[Any]) -> list[HumanMessage]:
    try:
        messages = convert_to_messages(listed)
    except (ValueError, TypeError, NotImplementedError, KeyError, AttributeError) as error:
        # LangChain reads a message's fields without asking what they are.
        reason = clean(str(error)).partition("\n")[0][:200]
        raise InputRefused(f"'messages' cannot be read: {reason}") from None
    for message in messages:
        if not isinstance(message, HumanMessage):
            raise InputRefused(
                f"a message of type {message.type!r} was refused; only user messages can be sent"
            )
    return [m for m in messages if isinstance(m, HumanMessage)]


def _message_id(given: str | None, new_id: Callable[[], str]) -> str:
    if given is None or given == "":
        return new_id()
    if not storable_id(given):
        raise InputRefused(f"message id {given!r:.80} cannot be stored")
    return given


def _content(
    content: str | list[str | dict[Any, Any]], door: _Door
) -> str | list[str | dict[Any, Any]]:
    if isinstance(content, str):
        text = clean(content)
        _check_text(text, door.limits)
        if not text.strip():
            raise InputRefused("the message is empty")
        return text
    blocks = [_block(block, door) for block in content]
    words = "".join(block.get("text", "") for block in blocks)
    _check_text(words, door.limits)
    pictures = sum(1 for block in blocks if block["type"] == "image_url")
    if not words.strip() and not pictures:
        raise InputRefused("the message is empty")
    if pictures > door.limits.images:
        raise InputRefused(f"the message holds {pictures} images; at most {door.limits.images}")
    if not pictures:
        return words
    # A provider refuses a text block that says nothing.
    return [b for b in blocks if b["type"] == "image_url" or b["text"].strip()]


def _check_text(text: str, limits: Limits) -> None:
    if len(text) > limits.message_chars:
        raise InputRefused(
            f"the message has {len(text)} characters; at most {limits.message_chars} "
            "(LONGHAUL_MAX_MESSAGE_CHARS)"
        )


def _block(block: object, door: _Door) -> dict[str, Any]:
    match block:
        case str(text) | {"type": "text", "text": str(text)}:
            return {"type": "text", "text": clean(text)}
        case {"type": "image_url", "image_url": {"url": str(url)} | str(url)}:
            return _image(url, door)
        case {"type": "image", "url": str(url)}:
            return _image(url, door)
        case {"type": "image", "base64": str(data), "mime_type": str(kind)} | {
            "type": "image",
            "source_type": "base64",
            "data": str(data),
            "mime_type": str(kind),
        }:
            return _image(f"data:{kind};base64,{data}", door)
        case {"type": kind}:
            raise InputRefused(f"a content block of type {kind!r:.80} was refused: text or image")
    raise InputRefused(f"content block {block!r:.80} cannot be read")


def _image(url: str, door: _Door) -> dict[str, Any]:
    if url.startswith(("https://", "http://")):
        if clean(url) != url or len(url) > 2000:
            raise InputRefused("the image's URL cannot be stored")
        return _image_block(url)
    if url.startswith(door.prefix) and len(url) == len(door.prefix) + 64:
        return _image_block(url)
    head, _, data = url.partition(",")
    if not (head.startswith("data:image/") and head.endswith(";base64")):
        raise InputRefused(f"image {url[:40]!r} was refused: an http(s) or data:image/ URL is read")
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise InputRefused("the image's data is not base64") from None
    if not 0 < len(raw) <= door.limits.image_bytes:
        raise InputRefused(
            f"the image has {len(raw)} bytes; 1 to {door.limits.image_bytes} "
            "(LONGHAUL_MAX_IMAGE_BYTES)"
        )
    image = Image(key=hashlib.sha256(raw).hexdigest(), data_url=clean(url))
    door.images.append(image)
    return _image_block(door.prefix + image.key)


def _image_block(url: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url}}
