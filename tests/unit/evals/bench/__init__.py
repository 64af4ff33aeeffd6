"""Unit tests of the benchmark's arithmetic."""
