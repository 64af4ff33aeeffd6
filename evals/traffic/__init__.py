"""Conversations that really took place, as evaluations: personal data replaced."""
