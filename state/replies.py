"""Making a model's reply fit to be stored and sent again."""

from collections.abc import Callable, Collection

from langchain_core.messages import AIMessage, ToolCall

from state.text import clean, clean_json, storable_id

MALFORMED = "malformed_calls"
"""Key of `additional_kwargs`: ids of the tool calls whose arguments were not valid JSON."""


def normalised(reply: AIMessage, *, taken: Collection[str], new_id: Callable[[], str]) -> AIMessage:
    """`reply` as a plain message: every tool call has an id of its own and object arguments.

    `taken` holds the call ids of the window: some servers count calls from zero in every reply.
    A call whose arguments could not be read keeps its name, gets empty arguments and is named
    under MALFORMED, so that its result can say so. A refusal becomes the reply's text.
    """
    used = set(taken)

    def named(name: str | None, args: dict[str, object], id: str | None) -> ToolCall:
        unique = id if id and id not in used and storable_id(id) else new_id()
        used.add(unique)
        return ToolCall(name=clean(name or "unknown"), args=args, id=unique, type="tool_call")

    calls = [named(c["name"], _plain(c["args"]), c["id"]) for c in reply.tool_calls]
    broken = [named(c["name"], {}, c["id"]) for c in reply.invalid_tool_calls]
    refusal = reply.additional_kwargs.get("refusal")
    content = clean(reply.text or (str(refusal) if refusal else ""))
    marks: dict[str, object] = {}
    if broken:
        marks[MALFORMED] = [call["id"] for call in broken]
    if refusal:
        marks["refused"] = True
    if reply.response_metadata.get("finish_reason") == "length":
        marks["cut"] = "length"
    return AIMessage(
        content=content,
        tool_calls=calls + broken,
        id=reply.id or new_id(),
        usage_metadata=reply.usage_metadata,
        additional_kwargs=marks,
    )


def is_blank(reply: AIMessage) -> bool:
    """Whether `reply` says nothing and calls nothing."""
    return not reply.text.strip() and not reply.tool_calls


def _plain(args: dict[str, object]) -> dict[str, object]:
    return {clean(key): clean_json(value) for key, value in args.items()}
