"""Ranking what was said before: pure, no store is read here."""
