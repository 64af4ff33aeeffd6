"""Thread names that people type, and the ids that stand for them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.names import new_name, thread_id
from state.errors import InputRefused

UUID_FORM = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

names = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=50)


@given(names)
def test_a_name_has_one_id_which_is_its_own_name(name: str) -> None:
    made = thread_id(name)
    assert UUID_FORM.fullmatch(made)
    assert thread_id(name) == made
    assert thread_id(made) == made


@given(st.sets(names, min_size=2))
def test_two_names_never_share_an_id(given: set[str]) -> None:
    assert len({thread_id(name) for name in given}) == len(given)


def test_the_id_of_a_name_never_changes() -> None:
    assert thread_id("support") == "b610ba09-360c-582c-b547-1dbca871f621"


@pytest.mark.parametrize(
    "form",
    [
        "3F2504E0-4F89-41D3-9A0C-0305E82C3301",
        "{3f2504e0-4f89-41d3-9a0c-0305e82c3301}",
        "3f2504e04f8941d39a0c0305e82c3301",
    ],
)
def test_every_spelling_of_a_uuid_is_the_same_thread(form: str) -> None:
    assert thread_id(form) == "3f2504e0-4f89-41d3-9a0c-0305e82c3301"


@pytest.mark.parametrize("name", ["", "a\nb", "a\x00", "\x1b[31m", "\ud800", "x" * 201])
def test_a_name_that_cannot_be_kept_is_refused(name: str) -> None:
    with pytest.raises(InputRefused, match="1 to 200 printable characters") as caught:
        thread_id(name)
    assert str(caught.value).isprintable()


def test_new_names_can_be_typed_and_differ() -> None:
    made = {new_name() for _ in range(50)}
    assert len(made) == 50
    assert all(re.fullmatch(r"chat-[0-9a-f]{8}", name) for name in made)
