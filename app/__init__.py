"""The ways in: terminal, HTTP and admin commands."""
