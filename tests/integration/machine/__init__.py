"""Random conversations, and what must hold of them after every step."""
