"""Set the process up before any library reads its environment."""

import gc
import os

from hypothesis import HealthCheck, settings

os.environ.update(
    ANONYMIZED_TELEMETRY="False",
    HF_HUB_OFFLINE="1",
    LANGGRAPH_CLI_NO_ANALYTICS="1",
    LANGGRAPH_STRICT_MSGPACK="true",
    LANGSMITH_TRACING="false",
    # A conversation that is folded would start a Chroma server; tests of recall say so themselves.
    LONGHAUL_RECALL="never",
)

# A busy machine is no failure. CI tries many examples, and the same ones each time, so that it is
# red for a change and not by chance; at the desk there are few, and others each time.
CI = "CI" in os.environ
settings.register_profile(
    "longhaul",
    deadline=None,
    max_examples=50 if CI else 25,
    derandomize=CI,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("longhaul")


def pytest_collection_finish() -> None:
    """Keep the garbage collector from looking through all that was imported, again and again."""
    gc.collect()
    gc.freeze()
