"""Set the process up before any library reads its environment."""

import os

from hypothesis import settings

os.environ.update(
    ANONYMIZED_TELEMETRY="False",
    HF_HUB_OFFLINE="1",
    LANGGRAPH_CLI_NO_ANALYTICS="1",
    LANGGRAPH_STRICT_MSGPACK="true",
    LANGSMITH_TRACING="false",
)

# A busy machine is no failure.
settings.register_profile("longhaul", deadline=None)
settings.load_profile("longhaul")
