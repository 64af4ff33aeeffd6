"""Who owns a conversation's memory."""

import pytest

from state.identity import Owner, resolve_owner


@pytest.mark.parametrize(
    ("signed_in", "named", "owner"),
    [
        ("ann", "bob", Owner(kind="user", id="ann")),
        ("ann", "", Owner(kind="user", id="ann")),
        (None, "bob", Owner(kind="user", id="bob")),
        ("", "bob", Owner(kind="user", id="bob")),
        (None, "", Owner(kind="thread", id="t1")),
        ("", "", Owner(kind="thread", id="t1")),
    ],
)
def test_the_signed_in_user_then_the_named_one_then_the_thread(
    signed_in: str | None, named: str, owner: Owner
) -> None:
    assert resolve_owner(signed_in=signed_in, named=named, thread="t1") == owner


def test_a_user_is_never_taken_for_a_thread_of_the_same_name() -> None:
    user = resolve_owner(signed_in=None, named="t1", thread="t2")
    assert user != resolve_owner(signed_in=None, named="", thread="t1")
