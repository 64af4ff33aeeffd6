"""What the customer is asked before an action, and what the model is told came of it."""

from collections.abc import Sequence

from prompts.files import question
from state.actions import Asked, Correction

UNANSWERED = (
    "Not carried out: the customer wrote something else instead of confirming it. "
    "Call it again only if they still want it."
)
HANDED_OVER = (
    "A colleague takes over this conversation now. Tell the customer so in one sentence, and "
    "promise nothing in the colleague's name. If you are asked again after the customer's next "
    "message, the colleague has handed the conversation back to you."
)
NO_LEDGER = "Not carried out: without a database there is no way to do it just once."


def confirm_question(action: str, facts: Sequence[Asked]) -> str:
    """The question to the customer. Reads a file: not on an event loop."""
    values = {each["argument"]: each["value"] for each in facts}
    listed = ", ".join(f"{argument}: {value}" for argument, value in values.items())
    return question(action).format(facts=listed, **values)


def declined(reason: str) -> str:
    """The result of a call that the customer said no to."""
    why = f" They said: {reason}" if reason else ""
    return f"Not carried out: the customer said no.{why}"


def corrected(action: str, values: Sequence[Correction]) -> str:
    """The result of a call whose values the customer put right."""
    told = ", ".join(f"not {each['old']!r} but {each['value']!r}" for each in values)
    return f"Not carried out: the customer corrects it: {told}. Call {action} again with that."
