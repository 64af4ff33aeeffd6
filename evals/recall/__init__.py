"""How much of what was said before is found again, on public sets of questions."""
