"""The tools that the model may call. A fork puts its own here."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from langchain_core.tools import BaseTool, ToolException, tool
from pydantic import BaseModel, Field


class ParcelNumber(BaseModel):
    """Arguments of `look_up_parcel`."""

    number: str = Field(
        description="The parcel number, LH and eight digits, as the customer gave it."
    )


@tool(args_schema=ParcelNumber)
def look_up_parcel(number: str) -> str:
    """Look up where a parcel is and when it is expected."""
    wanted = "".join(number.split()).upper()
    parcel = _parcels().get(wanted)
    if parcel is None:
        raise ToolException(f"No parcel has the number {wanted!r}.")
    return json.dumps(parcel, ensure_ascii=False)


def toolbox() -> list[BaseTool]:
    """Every tool, in the order in which a request lists them."""
    return [look_up_parcel]


@cache
def _parcels() -> dict[str, dict[str, Any]]:
    rows = json.loads(files("graph").joinpath("sample/parcels.json").read_text(encoding="utf-8"))
    return {row["number"]: row for row in rows}
