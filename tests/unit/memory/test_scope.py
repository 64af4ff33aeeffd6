"""Names of records, and the scope that a search is held to."""

from hypothesis import given
from hypothesis import strategies as st

from memory import names
from memory.scope import Named, Scope, parse_id, record_id, space
from state.identity import Owner

ids = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
owners = st.builds(Owner, kind=st.sampled_from(["user", "thread"]), id=ids)


@given(owners, ids, st.integers(0, 10**8 - 1), st.sampled_from(["user", "assistant"]))
def test_an_id_says_what_it_was_made_of(owner: Owner, thread: str, turn: int, leg: str) -> None:
    mine, key = space(owner, thread), names.row_key(turn, ["u", "a"])
    named = parse_id(record_id(mine, key, leg))
    assert named == Named(mine, key, leg)
    assert named.turn == turn


@given(owners, ids, owners, ids)
def test_each_owner_has_a_space_of_its_own_in_each_thread(
    owner: Owner, thread: str, other: Owner, elsewhere: str
) -> None:
    same = (owner, thread) == (other, elsewhere)
    assert (space(owner, thread) == space(other, elsewhere)) is same


@given(ids, st.lists(ids, min_size=1), ids, ids)
def test_a_users_scope_holds_their_own_in_the_threads_named(
    user: str, threads: list[str], other: str, elsewhere: str
) -> None:
    scope = Scope(Owner(kind="user", id=user), threads)
    record = space(Owner(kind="user", id=other), elsewhere)
    allowed = other == user and elsewhere in threads
    assert scope.holds(record, elsewhere) is allowed
    assert (record in scope.spaces) is allowed
    assert not scope.holds(space(Owner(kind="thread", id=threads[0]), threads[0]), threads[0])


def test_a_record_that_claims_another_thread_is_not_held() -> None:
    ann = Owner(kind="user", id="ann")
    assert not Scope(ann, ["a", "b"]).holds(space(ann, "a"), "b")
    assert not Scope(ann, None).holds(space(ann, "a"), "b")
    assert Scope(ann, None).holds(space(ann, "b"), "b")


def test_a_thread_that_owns_itself_holds_what_it_was_copied_from() -> None:
    scope = Scope(Owner(kind="thread", id="copy"), ["copy", "parent"])
    assert scope.holds(space(Owner(kind="thread", id="parent"), "parent"), "parent")
    assert not scope.holds(space(Owner(kind="user", id="parent"), "parent"), "parent")


def test_the_id_of_something_else_says_nothing() -> None:
    assert [parse_id(each) for each in ("", "a", "a-b-c", "a-b-c-d", "a-1-b-c-d")] == [None] * 5
