"""One file a contestant: how a long conversation is kept within its window."""
