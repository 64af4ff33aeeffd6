"""The reducer of the window: how an update of messages joins those that stand."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage
from langgraph.graph.message import add_messages

from state.errors import InputRefused
from state.replies import AFTER


def merge_messages(
    left: list[AnyMessage], right: AnyMessage | Sequence[AnyMessage | RemoveMessage]
) -> list[AnyMessage]:
    """`left` with `right` added; a message with a known id replaces the one that has it.

    A user message may take the id of the newest user message only: that edits it, and what
    answered the old words goes. A stopped reply joins after the message that it answered.
    Raises InputRefused for a user message with the id of any older message.
    """
    updates = list(right) if isinstance(right, list | tuple) else [right]
    for update in updates:
        if isinstance(update, HumanMessage) and any(m.id == update.id for m in left):
            left = _edited(left, update)
        elif isinstance(update, AIMessage) and AFTER in update.additional_kwargs:
            left = _inserted(left, update)
    return add_messages(left, updates)  # type: ignore[arg-type, return-value]


def _edited(left: list[AnyMessage], update: HumanMessage) -> list[AnyMessage]:
    newest = max((i for i, m in enumerate(left) if isinstance(m, HumanMessage)), default=-1)
    taken = next(i for i, m in enumerate(left) if m.id == update.id)
    if taken != newest:
        raise InputRefused(
            f"message id {update.id!r} is taken by an earlier message; "
            "to edit an earlier message, fork the thread at the checkpoint before it"
        )
    return left if left[taken].content == update.content else left[: newest + 1]


def _inserted(left: list[AnyMessage], reply: AIMessage) -> list[AnyMessage]:
    after = reply.additional_kwargs[AFTER]
    place = next((i for i, m in enumerate(left) if m.id == after), None)
    if place is None or any(m.id == reply.id for m in left):
        return left
    return [*left[: place + 1], reply, *left[place + 1 :]]
