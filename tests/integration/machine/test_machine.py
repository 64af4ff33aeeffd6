"""The seven invariants of the design, under whatever may happen to a conversation."""

import os

from hypothesis import HealthCheck, settings

from tests.integration.machine.conversations import Conversations

LONG = int(os.environ.get("MACHINE_EXAMPLES", "0"))
"""`MACHINE_EXAMPLES=1000 pytest tests/integration/machine` tries as many others, at random."""

TestConversations = Conversations.TestCase
TestConversations.settings = settings(
    max_examples=LONG or 25,
    stateful_step_count=40,
    derandomize=not LONG,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
