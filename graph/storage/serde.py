"""How checkpoints are serialised."""

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer


def strict_serde() -> JsonPlusSerializer:
    """Return a serialiser that revives LangGraph's and LangChain's own classes, and no other."""
    return JsonPlusSerializer(allowed_msgpack_modules=None)
