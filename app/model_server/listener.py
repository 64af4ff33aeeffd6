"""A socket on loopback on which small pieces of a stream leave at once."""

import socket


def listener(port: int = 0) -> socket.socket:
    """Listens on `port` of loopback, 0 for any that is free. Raises OSError if it is taken."""
    # Only with the protocol named does asyncio set TCP_NODELAY; else some pieces wait 40 ms.
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(("127.0.0.1", port))
        made.listen()
    except OSError:
        made.close()
        raise
    return made
