"""Tests of the ways in."""
