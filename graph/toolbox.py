"""The tools that the model may call. A fork puts its own here."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, ClassVar

from langchain_core.tools import BaseTool, InjectedToolCallId, ToolException, tool
from langgraph.config import get_config, get_store
from pydantic import AfterValidator, BaseModel, Field

from memory import ledger
from prompts.actions import HANDED_OVER
from state.actions import Action, HandOver


class ParcelNumber(BaseModel):
    """Arguments of `look_up_parcel`."""

    number: str = Field(
        description="The parcel number, LH and eight digits, as the customer gave it."
    )


def _known_parcel(number: str) -> str:
    number = _spelled(number)
    if number not in _parcels():
        raise ValueError(f"No parcel has the number {number!r}")
    return number


KnownParcel = Annotated[
    str, AfterValidator(_known_parcel), Field(description="The parcel number, LH and eight digits.")
]


class Refund(Action):
    """Arguments of `refund_parcel`."""

    depends_on: ClassVar[Mapping[str, str]] = {"number": "order_number"}
    number: KnownParcel


class AddressChange(Action):
    """Arguments of `change_delivery_address`."""

    depends_on: ClassVar[Mapping[str, str]] = {"number": "order_number", "address": "address"}
    number: KnownParcel
    address: str = Field(
        min_length=5, max_length=300, description="The new address, whole, as the customer gave it."
    )


@tool(args_schema=ParcelNumber)
def look_up_parcel(number: str) -> str:
    """Look up where a parcel is and when it is expected."""
    wanted = _spelled(number)
    parcel = _parcels().get(wanted)
    if parcel is None:
        raise ToolException(f"No parcel has the number {wanted!r}.")
    return json.dumps(parcel, ensure_ascii=False)


@tool(args_schema=Refund)
async def refund_parcel(number: str, key: Annotated[str, InjectedToolCallId]) -> str:
    """Refund a parcel. The customer is asked to confirm it before it is done: call it at once."""
    result = f"The refund for {number} is under way; its reference is {_reference('RF', key)}."
    return await _done("refund_parcel", key, {"number": number}, result)


@tool(args_schema=AddressChange)
async def change_delivery_address(
    number: str, address: str, key: Annotated[str, InjectedToolCallId]
) -> str:
    """Send a parcel to another address. The customer is asked to confirm it: call it at once."""
    result = f"{number} goes to {address} now; the reference is {_reference('AC', key)}."
    return await _done(
        "change_delivery_address", key, {"number": number, "address": address}, result
    )


@tool(args_schema=HandOver)
def hand_over(reason: str) -> str:  # noqa: ARG001
    """Give the conversation to a human colleague, when the customer asks for one or needs one."""
    return HANDED_OVER


def toolbox() -> list[BaseTool]:
    """Every tool, in the order in which a request lists them."""
    return [look_up_parcel, refund_parcel, change_delivery_address, hand_over]


async def _done(action: str, key: str, args: dict[str, Any], result: str) -> str:
    """Acts on the sample data. Where there is a real service, `key` is its idempotency key."""
    thread = str(get_config()["configurable"]["thread_id"])
    await ledger.record(get_store(), thread, key, action=action, args=args, result=result)
    return result


def _reference(prefix: str, key: str) -> str:
    return f"{prefix}-{key[-8:].upper()}"


def _spelled(number: str) -> str:
    return "".join(number.split()).upper()


@cache
def _parcels() -> dict[str, dict[str, Any]]:
    rows = json.loads(files("graph").joinpath("sample/parcels.json").read_text(encoding="utf-8"))
    return {row["number"]: row for row in rows}
