"""Facts taken from exchanges whose right answers are known."""
