"""What a chat completion request asks for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Message = Mapping[str, Any]


class BadRequestError(ValueError):
    """The body is not a request that the API defines."""


@dataclass(frozen=True)
class ChatRequest:
    """The parsed body of `POST /v1/chat/completions`.

    Raises `BadRequestError` for a body without a model and a list of messages.
    """

    body: Mapping[str, Any]

    def __post_init__(self) -> None:
        if not isinstance(self.body.get("model"), str):
            raise BadRequestError("'model' must be a string")
        messages = self.body.get("messages")
        if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
            raise BadRequestError("'messages' must be an array of objects")

    @property
    def model(self) -> str:
        """The model's name, as asked for."""
        return str(self.body["model"])

    @property
    def messages(self) -> list[Message]:
        """The messages, oldest first."""
        return list(self.body["messages"])

    @property
    def stream(self) -> bool:
        """Whether the reply is wanted as server-sent events."""
        return self.body.get("stream") is True

    @property
    def include_usage(self) -> bool:
        """Whether a stream is to end with its usage."""
        return (self.body.get("stream_options") or {}).get("include_usage") is True

    @property
    def tool_names(self) -> frozenset[str]:
        """The tools on offer."""
        return frozenset(tool["function"]["name"] for tool in self.body.get("tools") or ())

    @property
    def schema_name(self) -> str | None:
        """The name of the JSON schema that the reply must follow, None for free text."""
        response_format = self.body.get("response_format") or {}
        name = (response_format.get("json_schema") or {}).get("name")
        return None if name is None else str(name)


def text_of(message: Message) -> str:
    """Return the words of a message, whether its content is a string or a list of blocks."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(block["text"] for block in blocks if block.get("type") == "text")
