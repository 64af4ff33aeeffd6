"""The page as somebody uses it: by what is written on it."""

import re
from dataclasses import dataclass, field
from typing import Protocol

from playwright.sync_api import ConsoleMessage, Locator, Page, expect

NETWORK = "Failed to load resource"
"""What the browser itself says of an answer with an error, or of none."""


class Open(Protocol):
    """Opens a tab at a URL: in a window of its own, or in that of another."""

    def __call__(self, url: str, *, beside: "Tab | None" = None, width: int = 1280) -> "Tab": ...


@dataclass
class Tab:
    """One tab."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    """What the page got wrong: errors of its script, and what its own policy refused."""

    def __post_init__(self) -> None:
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._listen)

    def _listen(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and NETWORK not in message.text:
            self.complaints.append(message.text)

    def write(self, words: str) -> None:
        """Types a message and sends it."""
        self.page.get_by_label("Your message", exact=True).fill(words)
        self.page.keyboard.press("Enter")

    def say(self, words: str) -> None:
        """Sends a message once one may be sent, and waits until the next one may be."""
        expect(self.button("Send")).to_be_visible()
        self.write(words)
        expect(self.said(words)).to_be_visible()
        expect(self.button("Send")).to_be_visible()

    def said(self, words: str) -> Locator:
        """The message that says just this."""
        exact = re.compile(rf"^{re.escape(words)}$")
        return self.page.locator("#messages > li").filter(
            has=self.page.locator(".text", has_text=exact)
        )

    def answered(self, words: str) -> None:
        """Waits for a reply that holds these words."""
        expect(
            self.page.locator("#messages .assistant").filter(has_text=words).last
        ).to_be_visible()

    def turn(self, number: int) -> Locator:
        return self.page.locator(f'#messages > li[data-turn="{number}"]').first

    @property
    def messages(self) -> list[str]:
        """Who said what, as it is shown."""
        shown = self.page.locator("#messages > li:not(.aside)").all()
        parts = [(each.locator("b"), each.locator(".text").first) for each in shown]
        return [f"{who.inner_text()}: {words.inner_text().strip()}" for who, words in parts]

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def part(self, title: str) -> Locator:
        """A section of the memory's side."""
        return self.page.get_by_role("region", name=title, exact=True)

    def fact(self, value: str) -> Locator:
        exact = re.compile(rf"^{re.escape(value)}$")
        return self.page.locator("#facts li").filter(
            has=self.page.locator(".value", has_text=exact)
        )

    @property
    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog")

    def forget(self) -> None:
        """Says in the dialog that it is to be forgotten, and waits for the receipt."""
        self.dialog.get_by_role("button", name="Forget it").click()
        expect(self.dialog).to_contain_text("found nothing of it")

    @property
    def notice(self) -> Locator:
        return self.page.locator("#notices")
