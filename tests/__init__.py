"""The tests, which mirror the source."""
