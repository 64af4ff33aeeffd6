"""Tests against the real services."""
