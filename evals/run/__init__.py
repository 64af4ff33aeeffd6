"""Conversations that know their answers, held with the real graph: what was lost, and by what."""
