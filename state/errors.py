"""What a person or a client did wrong, in words that name the field and the value."""


class InputRefused(ValueError):
    """The input was refused before anything was written; the conversation is as it was."""
