"""Chroma and the stand-in as local services."""

import asyncio
from pathlib import Path

import httpx
from blockbuster import blockbuster_ctx

from graph.services import hold_service, local_service
from graph.services.folder import ServiceFolder
from tests.integration.graph.services.clients import (
    clients,
    kill,
    service_process,
    wait_until,
    wait_until_stopped,
)

COLLECTIONS = "/api/v2/tenants/default_tenant/databases/default_database/collections"


def test_chroma_is_shared_keeps_its_data_and_stops_with_its_last_client(data_folder: Path) -> None:
    with clients(3, "chroma", data_folder) as started:
        urls = {client.url() for client in started}
        assert len(urls) == 1
        httpx.post(urls.pop() + COLLECTIONS, json={"name": "kept"}).raise_for_status()
    wait_until_stopped(data_folder, "chroma")
    with hold_service("chroma", data_folder, grace=0) as url:
        assert [c["name"] for c in httpx.get(url + COLLECTIONS).json()] == ["kept"]


def test_a_killed_chroma_comes_back_at_the_same_url(data_folder: Path) -> None:
    with hold_service("chroma", data_folder, grace=0) as url:
        killed = service_process(data_folder, "chroma")
        kill(killed)
        folder = ServiceFolder(data_folder / "chroma")
        wait_until(
            lambda: (
                folder.running_process() not in {None, killed} and folder.ready_url() is not None
            ),
            "a new server",
        )
        assert folder.ready_url() == url
        assert httpx.get(url + "/api/v2/heartbeat").is_success


async def test_the_stand_in_is_served_without_blocking_the_event_loop(data_folder: Path) -> None:
    with blockbuster_ctx():
        async with local_service("standin", data_folder, grace=0) as url:
            pass
    assert url.endswith("/v1")
    wait_until_stopped(data_folder, "standin")


async def test_a_cancelled_start_leaves_no_client_behind(data_folder: Path) -> None:
    async def use() -> None:
        async with local_service("standin", data_folder, grace=0):
            raise AssertionError("it was cancelled before it had started")

    task = asyncio.create_task(use())
    await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    async with local_service("standin", data_folder, grace=0) as url, httpx.AsyncClient() as client:
        assert (await client.get(url + "/models")).is_success
    wait_until_stopped(data_folder, "standin")


def test_tests_have_a_chroma(chroma_url: str) -> None:
    assert httpx.get(chroma_url + "/api/v2/heartbeat").is_success
