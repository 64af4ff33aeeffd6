"""Every namespace and key of the LangGraph store: writer and reader both call here."""

from urllib.parse import quote


def encoded(id: str) -> str:
    """`id` as one namespace label: a dot or a slash in it neither ends the label nor adds one."""
    return quote(id, safe="").replace(".", "%2E") or "%"


def images(thread: str) -> tuple[str, ...]:
    """Namespace of the images that came into `thread`, keyed by the SHA-256 of their bytes."""
    return ("longhaul", "threads", encoded(thread), "images")
