"""The unit tests cannot open a socket, yet asyncio runs."""

import asyncio
import socket

import pytest
from pytest_socket import SocketBlockedError


def test_a_unit_test_cannot_open_a_socket() -> None:
    with pytest.warns(UserWarning, match="tried to use"), pytest.raises(SocketBlockedError):
        socket.socket()


def test_a_unit_test_cannot_look_a_host_up() -> None:
    with pytest.warns(UserWarning, match="tried to use"), pytest.raises(SocketBlockedError):
        socket.getaddrinfo("localhost", 80)


async def test_asyncio_runs_without_sockets() -> None:
    assert await asyncio.to_thread(str, 7) == "7"
