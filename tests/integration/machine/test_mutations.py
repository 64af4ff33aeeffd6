"""The machine finds what it is for: each defect, made on purpose, fails it."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from memory import names, posts
from nodes import load_memory
from nodes.archive import Archive
from nodes.compaction import Folder
from nodes.compaction_job import Job
from prompts.request import lay_out
from state.exchanges import Exchange, group
from state.folding import Post
from state.session import SessionState, SessionUpdate
from tests.integration.machine.conversations import Conversations

QUICKLY = settings(
    max_examples=60,
    stateful_step_count=40,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
    report_multiple_bugs=False,
    print_blob=False,
)

Break = Callable[[pytest.MonkeyPatch], None]


def split_an_exchange(patch: pytest.MonkeyPatch) -> None:
    """What is folded ends in the middle of an exchange."""

    def tried(job: Job) -> list[Exchange]:
        count = job.failures["size"] if job.failures else len(job.exchanges)
        *whole, last = job.exchanges[:count]
        return [*whole, Exchange(last.messages[:-1])]

    patch.setattr(Job, "tried", property(tried))
    patch.setattr(load_memory, "fits", lambda _state, _post: True)


def apply_whatever_is_posted(patch: pytest.MonkeyPatch) -> None:
    """Neither ids nor version are looked at."""

    def anything(state: SessionState, post: Post) -> bool:
        there = {str(m.id) for m in state["messages"]}
        return set(post["ids"]) <= there and len(there) > len(post["ids"]) + 2

    patch.setattr(load_memory, "fits", anything)


def skip_the_archive(patch: pytest.MonkeyPatch) -> None:
    """Turns count as written down that are not."""
    real = Archive.__call__

    async def archive(node: Archive, state: SessionState, runtime: Any) -> SessionUpdate:
        update = await real(node, state, runtime)
        if state["turn"] % 3:
            return update
        trail = state.get("transcript") or update.get("transcript")
        return SessionUpdate(archived_through=state["turn"], transcript=trail)  # type: ignore[typeddict-item]

    patch.setattr(Archive, "__call__", archive)


def fold_the_previous_exchange(patch: pytest.MonkeyPatch) -> None:
    """The newest exchange but one goes too."""
    patch.setattr("state.window.staying", lambda _exchanges: 0)
    patch.setattr("state.folding.staying", lambda _exchanges: 1)


def start_from_an_older_summary(patch: pytest.MonkeyPatch) -> None:
    """A result says that it is of another version than the one that it started from."""
    real = posts.post

    async def post(store: Any, thread: str, result: Post) -> None:
        await real(store, thread, {**result, "version": max(0, result["version"] - 1)})

    patch.setattr(posts, "post", post)
    patch.setattr(load_memory, "fits", _same_ids)


def _same_ids(state: SessionState, post: Post) -> bool:
    ids = [str(m.id) for m in state["messages"]]
    return (
        bool(post["ids"]) and ids[: len(post["ids"])] == post["ids"] and len(ids) > len(post["ids"])
    )


def trim_what_is_folded(patch: pytest.MonkeyPatch) -> None:
    """A summariser is shown the beginning of a long text only."""
    patch.setattr("nodes.compaction._split", lambda text, most: [text[:most]])


def forget_the_rows_of_another_branch(patch: pytest.MonkeyPatch) -> None:
    """A row is found by its turn alone, so that branches overwrite each other's."""
    patch.setattr(names, "row_key", lambda turn, _ids: f"{turn:08d}-x")


def never_fold(patch: pytest.MonkeyPatch) -> None:
    """The window only grows."""
    patch.setattr("nodes.maybe_compact.to_fold", lambda *_args, **_more: 0)


def drop_what_is_folded_when_it_is_too_much(patch: pytest.MonkeyPatch) -> None:
    """Only the newest exchanges are read."""
    real = Folder.fold

    async def fold(self: Folder, summary: Any, exchanges: Sequence[Exchange]) -> Any:
        empty = [Exchange((e.messages[0],)) for e in exchanges[:-1]]
        return await real(self, summary, [*empty, exchanges[-1]])

    patch.setattr(Folder, "fold", fold)


def leave_the_previous_exchange_out(patch: pytest.MonkeyPatch) -> None:
    """The request has room for the newest exchange only."""

    def shortened(**given: Any) -> Any:
        return lay_out(**{**given, "window": list(group(given["window"])[-1].messages)})

    patch.setattr("nodes.respond.lay_out", shortened)


@pytest.mark.parametrize(
    "broken",
    [
        split_an_exchange,
        apply_whatever_is_posted,
        skip_the_archive,
        fold_the_previous_exchange,
        start_from_an_older_summary,
        trim_what_is_folded,
        forget_the_rows_of_another_branch,
        never_fold,
        drop_what_is_folded_when_it_is_too_much,
        leave_the_previous_exchange_out,
    ],
    ids=lambda broken: broken.__name__,
)
def test_the_machine_finds(broken: Break, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(Conversations, settings=QUICKLY)
