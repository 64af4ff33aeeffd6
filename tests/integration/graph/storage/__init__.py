"""Against real services."""
