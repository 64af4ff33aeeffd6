"""Set the process up before any library reads its environment."""

import os

os.environ.update(
    ANONYMIZED_TELEMETRY="False",
    HF_HUB_OFFLINE="1",
    LANGGRAPH_CLI_NO_ANALYTICS="1",
    LANGGRAPH_STRICT_MSGPACK="true",
    LANGSMITH_TRACING="false",
)
