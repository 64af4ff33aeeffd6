"""Without sockets."""
