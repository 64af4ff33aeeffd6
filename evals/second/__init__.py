"""A finished run once more: judged by a model, or sent to LangSmith. Nothing here runs unasked."""
