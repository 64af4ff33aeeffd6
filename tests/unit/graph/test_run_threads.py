"""Where a run wrote is known after its checkpoints are gone."""

from graph.storage import run_threads


def test_the_threads_of_the_newest_runs_are_known() -> None:
    run_threads.note("run 1", "thread 1")
    run_threads.note("run 2", "thread 2")
    run_threads.note(None, "thread 3")
    assert run_threads.threads_of(["run 1", "run 2", "None", "run 3"]) == {"thread 1", "thread 2"}


def test_the_oldest_are_forgotten() -> None:
    run_threads.note("oldest", "thread")
    for n in range(10_000):
        run_threads.note(f"later {n}", "thread")
    assert run_threads.threads_of(["oldest"]) == set()
    assert run_threads.threads_of(["later 0"]) == {"thread"}
