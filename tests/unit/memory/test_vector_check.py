"""When a record counts as lost."""

import pytest

from memory.vector_check import is_lost


@pytest.mark.parametrize(
    ("ids", "distances", "lost"),
    [
        (["me"], [0.0], False),
        (["you", "me"], [0.0, 0.0], False),
        (["you"], [0.2], True),
        ([], [], True),
        ([f"twin {n}" for n in range(10)], [0.0] * 10, False),
        ([f"twin {n}" for n in range(9)], [0.0] * 9, True),
        ([str(n) for n in range(10)], [0.1 * n for n in range(10)], True),
    ],
)
def test_a_record_is_lost_unless_it_or_a_crowd_of_equals_is_found(
    ids: list[str], distances: list[float], lost: object
) -> None:
    assert is_lost("me", ids, distances) is lost
