"""What a service's folder says of a service."""

import json
import os
from pathlib import Path

import psutil
import pytest

from graph.file_lock import is_locked, try_lock
from graph.services.folder import ServiceFolder


@pytest.fixture
def folder(tmp_path: Path) -> ServiceFolder:
    made = ServiceFolder(tmp_path / "data" / "service")
    made.create()
    return made


def test_a_url_counts_only_while_a_supervisor_lives(folder: ServiceFolder) -> None:
    assert folder.ready_url() is None
    folder.write_ready("http://there")
    assert folder.ready_url() is None
    with try_lock(folder.supervisor_lock) or pytest.fail("free"):
        assert folder.ready_url() == "http://there"
        folder.clear_ready()
        assert folder.ready_url() is None


def test_a_url_that_a_dead_supervisor_left_does_not_count(folder: ServiceFolder) -> None:
    record = {"supervisor": 2**22 + 1, "url": "http://there"}
    (folder.path / "ready.json").write_text(json.dumps(record))
    with try_lock(folder.supervisor_lock) or pytest.fail("free"):
        assert folder.ready_url() is None


def test_a_process_is_known_by_its_number_and_its_age(folder: ServiceFolder) -> None:
    assert folder.running_process() is None
    folder.write_process(psutil.Process())
    assert folder.running_process() == psutil.Process()
    older = {"pid": os.getpid(), "created": psutil.Process().create_time() - 3600}
    (folder.path / "process.json").write_text(json.dumps(older))
    assert folder.running_process() is None


def test_a_lock_is_shared_or_held_alone(folder: ServiceFolder) -> None:
    first = try_lock(folder.clients_lock, shared=True)
    second = try_lock(folder.clients_lock, shared=True)
    assert first is not None
    assert second is not None
    assert try_lock(folder.clients_lock) is None
    assert not is_locked(folder.clients_lock)
    first.close()
    second.close()
    with try_lock(folder.clients_lock) or pytest.fail("free"):
        assert is_locked(folder.clients_lock)
        assert try_lock(folder.clients_lock, shared=True) is None


def test_a_log_that_has_grown_large_is_set_aside(
    folder: ServiceFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph.services.folder._ROTATE_BYTES", 10)
    assert folder.log_tail() == ""
    with folder.open_log() as log:
        log.write(b"first\nsecond\nthird\n")
    assert folder.log_tail(2) == "second\nthird"
    with folder.open_log() as log:
        log.write(b"fourth\n")
    assert folder.log_tail() == "fourth"
    assert folder.log.with_suffix(".old").read_bytes() == b"first\nsecond\nthird\n"
