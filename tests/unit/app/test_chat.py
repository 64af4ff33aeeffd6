"""What of a reply reaches the terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Hello\n\tworld", "Hello\n\tworld"),
        ("[bold]{braces}[/bold] <b> \\n", "[bold]{braces}[/bold] <b> \\n"),
        ("\u4f60\u597d \U0001f600 \u00e9", "\u4f60\u597d \U0001f600 \u00e9"),
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("\x1b]0;title\x07", "]0;title"),
        ("over\rwritten\x08\x7f", "overwritten"),
        ("\x9b2J\x84", "2J"),
        ("half\ud800", "half"),
    ],
)
def test_text_is_shown_and_what_drives_the_terminal_is_not(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text())
def test_cutting_a_reply_into_pieces_lets_nothing_through(text: str) -> None:
    assert "".join(map(printable, text)) == printable(text)
