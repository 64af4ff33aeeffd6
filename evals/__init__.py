"""Conversations that know their answers, and what is measured with them."""
