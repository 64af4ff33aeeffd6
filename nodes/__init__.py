"""One file a node: each reads state, calls one thing and returns an update."""
