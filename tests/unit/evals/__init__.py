"""Unit tests of what the evaluations are made of."""
