"""The checkout's Postgres: who starts it, who stops it, and what it survives."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from graph.services import ServiceError, hold_service
from graph.services.folder import ServiceFolder
from tests.integration.graph.services.clients import (
    ROOT,
    clients,
    kill,
    service_process,
    supervisor_process,
    wait_until,
    wait_until_stopped,
)


def query(url: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def test_six_first_clients_share_one_server_which_stops_with_the_last(data_folder: Path) -> None:
    with clients(6, "postgres", data_folder) as started:
        urls = {client.url() for client in started}
        assert len(urls) == 1
        server = service_process(data_folder, "postgres")
        for client in started[:3]:
            client.kill()
        for client in started[3:5]:
            client.leave()
        assert query(urls.pop(), "SELECT 1") == [(1,)]
        assert service_process(data_folder, "postgres").pid == server.pid
        started[5].kill()
        wait_until_stopped(data_folder, "postgres")
    assert not (data_folder / "postgres" / "db" / "postmaster.pid").exists()


def test_a_client_that_comes_while_the_server_leaves_finds_a_new_one(
    data_folder: Path,
) -> None:
    for _ in range(8):
        with hold_service("postgres", data_folder, grace=0) as url:
            assert query(url, "SELECT 1") == [(1,)]
    wait_until_stopped(data_folder, "postgres")


def test_a_killed_supervisor_is_replaced_and_the_server_lives_on(data_folder: Path) -> None:
    with (
        hold_service("postgres", data_folder, grace=0.5) as url,
        psycopg.connect(url) as connection,
    ):
        server = service_process(data_folder, "postgres")
        killed = supervisor_process(data_folder, "postgres")
        kill(killed)
        folder = ServiceFolder(data_folder / "postgres")
        wait_until(lambda: folder.ready_url() is not None, "a new supervisor")
        assert connection.execute("SELECT 1").fetchone() == (1,)
        assert service_process(data_folder, "postgres") == server
    wait_until_stopped(data_folder, "postgres")


def test_a_supervisor_killed_just_before_the_last_client_leaves(data_folder: Path) -> None:
    with hold_service("postgres", data_folder, grace=0.5):
        kill(supervisor_process(data_folder, "postgres"))
    wait_until_stopped(data_folder, "postgres")


def test_a_killed_server_comes_back_at_the_same_url_with_its_data(data_folder: Path) -> None:
    with hold_service("postgres", data_folder, grace=0.5) as url:
        query(url, "CREATE TABLE kept AS SELECT 7 AS n")
        killed = service_process(data_folder, "postgres")
        kill(killed)
        folder = ServiceFolder(data_folder / "postgres")
        wait_until(
            lambda: (
                folder.running_process() not in {None, killed} and folder.ready_url() is not None
            ),
            "a new server",
        )
        assert folder.ready_url() == url
        assert query(url, "SELECT n FROM kept") == [(7,)]


def test_it_starts_after_everything_was_killed_and_the_number_is_somebody_elses(
    data_folder: Path,
) -> None:
    with clients(1, "postgres", data_folder) as started:
        query(started[0].url(), "CREATE TABLE kept AS SELECT 7 AS n")
        server = service_process(data_folder, "postgres")
        supervisor = supervisor_process(data_folder, "postgres")
        started[0].kill()
        kill(supervisor)
        kill(server)
    pid_file = data_folder / "postgres" / "db" / "postmaster.pid"
    stale = pid_file.read_text().splitlines()
    pid_file.write_text("\n".join([str(os.getpid()), *stale[1:]]) + "\n")
    with hold_service("postgres", data_folder, grace=0.5) as url:
        assert query(url, "SELECT n FROM kept") == [(7,)]


def test_a_server_that_no_supervisor_recorded_is_replaced(data_folder: Path) -> None:
    with clients(1, "postgres", data_folder) as started:
        started[0].url()
        server = service_process(data_folder, "postgres")
        supervisor = supervisor_process(data_folder, "postgres")
        started[0].kill()
        kill(supervisor)
    (data_folder / "postgres" / "process.json").unlink()
    with hold_service("postgres", data_folder, grace=0.5) as url:
        assert query(url, "SELECT 1") == [(1,)]
        assert service_process(data_folder, "postgres").pid != server.pid


def test_a_long_path_is_no_obstacle(data_folder: Path) -> None:
    data = data_folder / ("a folder, of a \u00fc name/" * 8)
    with hold_service("postgres", data, grace=0) as url:
        assert query(url, "SELECT 1") == [(1,)]
    wait_until_stopped(data, "postgres")


def test_a_failure_names_the_log_and_quotes_it(data_folder: Path) -> None:
    cluster = data_folder / "postgres" / "db"
    cluster.mkdir(parents=True)
    (cluster / "PG_VERSION").write_text("12\n")
    with (
        pytest.raises(ServiceError, match=r"is of Postgres 12, but 1\d") as raised,
        hold_service("postgres", data_folder),
    ):
        pass
    assert str(data_folder / "postgres" / "log") in str(raised.value)


def test_keys_of_the_client_do_not_reach_the_server(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-postgres")
    with hold_service("postgres", data_folder, grace=0):
        assert "OPENAI_API_KEY" not in service_process(data_folder, "postgres").environ()


def test_a_stop_of_the_supervisor_is_an_orderly_stop(data_folder: Path) -> None:
    with clients(1, "postgres", data_folder) as started:
        started[0].url()
        supervisor = supervisor_process(data_folder, "postgres")
        started[0].kill()
        supervisor.send_signal(signal.SIGTERM)
        wait_until_stopped(data_folder, "postgres")
    log = (data_folder / "postgres" / "log").read_text()
    assert "received fast shutdown request" in log
    assert "database system is shut down" in log


def test_the_command_alone_leaves_a_service_that_stops_by_itself(data_folder: Path) -> None:
    command = (sys.executable, "-m", "graph.services", "postgres", str(data_folder / "postgres"))
    subprocess.run((*command, "--grace", "0.5"), check=True, cwd=ROOT)
    wait_until_stopped(data_folder, "postgres")
