"""The terminal: a conversation typed or piped."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import CancelledError

from anyio.from_thread import BlockingPortal
from rich.console import Console

from app.lines import Line
from app.questions import Standing, answer_to
from state.actions import Confirmation
from state.errors import InputRefused

HELP = """\
  /help    this list
  /retry   ask again for the reply to what is unanswered
  /quit    leave (or Ctrl-D); the thread stays as it is
  Ctrl-C   while a reply is written: stop it; else: leave
Anything else is said to the bot."""

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


class Terminal:
    """Reads lines, prints replies as they come. The conversation runs in the portal's thread."""

    def __init__(self, portal: BlockingPortal, line: Line, *, name: str, resume: str) -> None:
        self._portal = portal
        self._line = line
        self._name = name
        self._resume = resume
        self._console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
        self._typed = sys.stdin.isatty()
        self._printing: asyncio.Task[bool] | None = None
        self.failed = False
        """Whether any turn ended in an error."""
        self._question: tuple[str, Confirmation] | None = None
        self._held = False
        self._heard: set[str] = set()

    def talk(self) -> None:
        """Answers what a crash left unanswered, then each line of the input, until it ends."""
        self._note(f"thread {self._name} - /help lists the commands")
        self._turn(self._line.answer())
        for text in self._said():
            match text.strip():
                case "":
                    if self._held:
                        self._turn(_nothing())
                case "/quit" | "/exit":
                    break
                case "/help":
                    self._note(HELP)
                case "/retry":
                    self._retry()
                case command if re.fullmatch(r"/[a-z]+", command):
                    self._note(f"there is no command {command}; /help lists them")
                case _:
                    self._turn(self._heard_as(text))
        self._note(f"resume with: {self._resume}")

    def _retry(self) -> None:
        if not self._turn(self._line.answer()):
            self._note("nothing waits for a reply")

    def _said(self) -> Iterator[str]:
        while True:
            try:
                text = input("you> " if self._typed else "")
            except (EOFError, KeyboardInterrupt):
                if self._typed:
                    self._console.print()
                return
            if not self._typed and text.strip():
                self._console.print(f"you> {printable(text)}")
            yield text

    def _heard_as(self, text: str) -> AsyncIterator[str]:
        """What follows a line: the answer to the question that waits, or a message."""
        if self._question is not None:
            waits, question = self._question
            if (answer := answer_to(question, text)) is not None:
                return self._line.resume(waits, answer)
            self._note("not confirmed, and not done")
        return self._line.say(text)

    def _turn(self, pieces: AsyncIterator[str]) -> bool:
        """Prints what comes; whether anything did, if only an error."""
        reply = self._portal.start_task_soon(self._run, pieces)
        try:
            return reply.result()
        except KeyboardInterrupt:
            self._portal.call(self._stop)
            self._note("\nstopped")
        except CancelledError:
            self._note("\nstopped")
        except InputRefused as error:
            self.failed = True
            self._note(f"\nnot sent: {printable(str(error))}")
        except Exception as error:  # noqa: BLE001
            # Whatever failed cost this turn; the conversation is in the database and goes on.
            self.failed = True
            self._note(f"\nerror: {printable(self._line.told(error))}")
            self._note(self._line.after_an_error)
        return True

    async def _run(self, pieces: AsyncIterator[str]) -> bool:
        """Prints in a task of its own, which asyncio cancels once.

        The portal cancels whatever is awaited, again and again; LangGraph's own cleaning up, too,
        and then a model would go on writing.
        """
        self._printing = asyncio.create_task(self._print(pieces))
        return await self._printing

    async def _stop(self) -> None:
        if self._printing is not None:
            self._printing.cancel()
            await asyncio.wait([self._printing])

    async def _print(self, pieces: AsyncIterator[str]) -> bool:
        begun = False
        async for piece in pieces:
            if piece and not begun:
                self._console.print("bot> ", end="", style="bold")
                begun = True
            self._console.out(printable(piece), end="")
            self._console.file.flush()
        if begun:
            self._console.print()
        self._show(await self._line.standing())
        return begun

    def _show(self, standing: Standing) -> None:
        """What the thread waits for, and what a person said in it since it was last shown."""
        begins = not self._heard
        for said in standing.said:
            if said.id not in self._heard and not (begins and said.earlier):
                self._console.print(f"colleague> {printable(said.text)}")
        self._heard |= {"", *(said.id for said in standing.said)}
        if standing.held and not self._held:
            self._note("a colleague has this conversation; Enter looks for their answer")
        self._held, self._question = standing.held, standing.question
        if self._question is not None:
            asked = self._question[1]
            values = ", ".join(f"{fact['argument']} = ..." for fact in asked["facts"])
            self._console.print(f"bot> {printable(asked['question'])}")
            self._note(f"yes, no, or what is right instead: {values}")

    def _note(self, text: str) -> None:
        self._console.print(text, style="dim")


async def _nothing() -> AsyncIterator[str]:
    yield ""


def say_waiting() -> None:
    """Says that another terminal holds the thread."""
    Console(stderr=True).print("another terminal is being answered on this thread; waiting")


def printable(text: str) -> str:
    """`text` without control characters: a reply must not drive the terminal."""
    return _CONTROL.sub("", text)
