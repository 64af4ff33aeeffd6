"""Set the process up before any library reads its environment."""

import gc
import os

from hypothesis import settings

os.environ.update(
    ANONYMIZED_TELEMETRY="False",
    HF_HUB_OFFLINE="1",
    LANGGRAPH_CLI_NO_ANALYTICS="1",
    LANGGRAPH_STRICT_MSGPACK="true",
    LANGSMITH_TRACING="false",
    # A conversation that is folded would start a Chroma server; tests of recall say so themselves.
    LONGHAUL_RECALL="never",
)

# A busy machine is no failure; and CI tries the same examples each time, so that it is red for a
# change and not by chance.
settings.register_profile(
    "longhaul", deadline=None, max_examples=50, derandomize="CI" in os.environ
)
settings.load_profile("longhaul")


def pytest_collection_finish() -> None:
    """Keep the garbage collector from looking through all that was imported, again and again."""
    gc.collect()
    gc.freeze()
