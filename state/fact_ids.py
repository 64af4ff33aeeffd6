"""The id of a fact: what a link, a command or a receipt calls it by."""

import hashlib

from state.facts import Fact


def fact_id(kind: str, value: str) -> str:
    """16 hex digits that are the same for the same kind and value, in whatever thread."""
    return hashlib.sha256(f"{kind}\x1f{value}".encode()).hexdigest()[:16]


def id_of(fact: Fact) -> str:
    """The id of `fact`."""
    return fact_id(fact["kind"], fact["value"])
