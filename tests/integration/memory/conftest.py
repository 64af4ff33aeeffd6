"""Names that tests on the shared Chroma keep apart."""

from uuid import uuid4

import pytest


@pytest.fixture
def prefix() -> str:
    """What this test's collections begin with."""
    return f"t{uuid4().hex[:12]}"
