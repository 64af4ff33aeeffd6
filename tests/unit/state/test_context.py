"""The form that a run fills in."""

from dataclasses import fields
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from state.context import Context


def test_every_field_has_an_empty_default_a_title_and_a_description() -> None:
    schema = TypeAdapter(Context).json_schema()
    assert set(schema["properties"]) == {field.name for field in fields(Context)}
    for field in schema["properties"].values():
        assert field["title"]
        assert field["description"].endswith(".")
        assert field["default"] == ""
    assert "required" not in schema


def test_what_the_server_mixes_in_is_passed_over() -> None:
    given: dict[str, Any] = {"persona": "support", "thread_id": "t1"}
    assert Context(**given) == Context(persona="support")


@pytest.mark.parametrize("given", [{"user": 5}, {"persona": None}, {"user": "x" * 201}])
def test_a_field_of_the_wrong_kind_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Context(**given)
