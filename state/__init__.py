"""The session's state and the pure functions on it."""
