"""Data that tests read, and what made it."""
