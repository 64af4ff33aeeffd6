"""Conversations that took place, as evaluations."""
