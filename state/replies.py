"""Making a model's reply fit to be stored and sent again."""

from collections.abc import Callable, Collection, Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall

from state.text import clean, clean_json, storable_id, too_deep

MALFORMED = "malformed_calls"
"""Key of `additional_kwargs`: ids of the tool calls whose arguments were not valid JSON."""

CUT_SHORT = frozenset({"length", "content_filter"})
"""Finish reasons of a reply that ends before its end."""

CUT = "cut"
"""Key of `additional_kwargs` of a reply that is not whole: one of CUT_SHORT, or `stopped`."""

AFTER = "after"
"""Key of `additional_kwargs` of a stopped reply: id of the message that it stands after."""


def normalised(reply: AIMessage, *, taken: Collection[str], new_id: Callable[[], str]) -> AIMessage:
    """`reply` as a plain message: every tool call has an id of its own and object arguments.

    `taken` holds the ids of the window, of messages and of calls: some servers count from zero in
    every reply. A call whose arguments could not be read keeps its name, gets empty arguments and
    is named under MALFORMED, so that its result can say so. A refusal becomes the reply's text.
    """
    used = set(taken)

    def unique(id: str | None) -> str:
        own = id if id and id not in used and storable_id(id) else new_id()
        used.add(own)
        return own

    def named(name: str | None, args: dict[str, object], id: str | None) -> ToolCall:
        return ToolCall(name=clean(name or "unknown"), args=args, id=unique(id), type="tool_call")

    readable = [c for c in reply.tool_calls if not too_deep(c["args"])]
    unreadable = [c for c in reply.tool_calls if c not in readable]
    calls = [named(c["name"], _plain(c["args"]), c["id"]) for c in readable]
    broken = [named(c["name"], {}, c["id"]) for c in [*reply.invalid_tool_calls, *unreadable]]
    refusal = reply.additional_kwargs.get("refusal")
    content = clean(reply.text or (str(refusal) if refusal else ""))
    marks: dict[str, object] = {}
    if broken:
        marks[MALFORMED] = [call["id"] for call in broken]
    if refusal:
        marks["refused"] = True
    if (reason := reply.response_metadata.get("finish_reason")) in CUT_SHORT:
        marks[CUT] = reason
    return AIMessage(
        content=content,
        tool_calls=calls + broken,
        id=unique(reply.id),
        usage_metadata=reply.usage_metadata,
        additional_kwargs=marks,
    )


def stopped_reply(text: str, *, id: str, after: str) -> AIMessage:
    """What was read of a reply before it was stopped, to stand after the message `after`."""
    return AIMessage(text, id=id, additional_kwargs={CUT: "stopped", AFTER: after})


def was_cut_short(messages: Sequence[AnyMessage], after: str) -> bool:
    """Whether the reply that followed the message `after` is missing: other words came instead."""
    place = next((i for i, m in enumerate(messages[:-1]) if m.id == after), None)
    return place is not None and isinstance(messages[place + 1], HumanMessage)


def result_id(call: ToolCall) -> str:
    """Id of the message that holds the call's result: the same however often the call runs."""
    return f"result-{call['id']}"


def is_silent(reply: AIMessage) -> bool:
    """Whether `reply` has no words that could be shown or stored."""
    return not clean(reply.text).strip()


def _plain(args: dict[str, object]) -> dict[str, object]:
    return {clean(key): clean_json(value) for key, value in args.items()}
