"""The suites for each part of the memory that reads words."""
