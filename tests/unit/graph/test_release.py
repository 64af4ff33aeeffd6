"""The name of a release: the models of the roles, and the prompts."""

from pathlib import Path
from typing import Any

import pytest

from graph.build import Parts
from graph.environment import read_settings
from graph.models import Models
from prompts.files import prompts_digest


async def endpoint() -> str:
    """Nobody asks."""
    return "http://models.example/v1"


@pytest.mark.parametrize(
    ("roles", "writer", "named"),
    [
        ({}, "big", "big"),
        ({"extract_model": "small"}, "big", "big + small + big"),
        ({"extract_model": "small", "summarise_model": "mid"}, "big", "big + small + mid"),
        ({}, "other", "other + big + big"),
    ],
)
def test_a_release_is_named_by_its_models_and_prompts(
    roles: dict[str, Any], writer: str, named: str
) -> None:
    settings = read_settings(
        _env_file=None, OPENAI_API_KEY="k", model="big", data=Path("/nowhere"), **roles
    )
    models = Models(settings=lambda: settings, endpoint=endpoint)
    parts = Parts(settings=lambda: settings, models=models)

    assert parts.release(writer) == f"{named} @{prompts_digest()}"
