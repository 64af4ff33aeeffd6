"""`longhaul chat`: typed, piped, stopped, killed, and twice at once on one thread."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.model_server import faults
from app.model_server.chat import text_of
from app.model_server.server import ModelServer
from app.model_server.steps import call, hold, text, tool_calls
from tests.integration.server.dev_server import until
from tests.integration.terminal import Typed, environment, piped

SLOW_TOOL = """
import sys, time
from pathlib import Path
from langchain_core.tools import tool
import graph.resources

@tool
def look_up_parcel(number: str) -> str:
    \"\"\"Look a parcel up.\"\"\"
    Path("began").touch()
    time.sleep(600)
    return "never"

graph.resources.toolbox = lambda: [look_up_parcel]
from app.cli import main
main()
"""


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """The model, with nothing to say yet; it takes what a strict provider takes."""
    with ModelServer() as server:
        yield server


@pytest.fixture
def env(postgres_url: str, model: ModelServer) -> dict[str, str]:
    """The settings of every terminal of a test."""
    return environment(postgres_url, model.base_url)


def users(model: ModelServer, number: int = -1) -> list[str]:
    """The user's words in a request."""
    sent = model.requests[number].messages
    told = [text_of(message) for message in sent if message["role"] == "user"]
    return [words.partition("\n\n<context>")[0] for words in told]


def test_a_typed_conversation(tmp_path: Path, env: dict[str, str], model: ModelServer) -> None:
    with Typed("--thread", "my parcel", folder=tmp_path, env=env) as terminal:
        assert "thread my parcel - /help lists the commands" in terminal.until("you> ")

        terminal.type("/help")
        assert "/retry" in terminal.until("you> ")
        terminal.type("/dance")
        assert "there is no command /dance; /help lists them" in terminal.until("you> ")

        held = hold(text("It is on its way."), after_chunks=2)
        model.script.add(held)
        terminal.type("Where is it?")
        terminal.until("bot> It is ")
        assert "way" not in terminal.shown
        held.release()
        assert terminal.until("you> ").startswith("on its way.\n")

        check_an_error(terminal, model)
        check_odd_words(terminal, model)

        terminal.type("/quit")
        terminal.until("resume with: make chat THREAD='my parcel'")
        assert terminal.ends() == 1  # a turn failed


def check_an_error(terminal: Typed, model: ModelServer) -> None:
    """It keeps what was said, and /retry answers it, once."""
    model.script.add(faults.server_error())
    terminal.type("And the other one?")
    failed = terminal.until("you> ")
    assert "error: model 'main' at http://127.0.0.1:" in failed
    assert "HTTP 500: The server had an error." in failed
    assert "what you said is kept; /retry asks again" in failed
    model.script.add(text("Here it is."))
    terminal.type("/retry")
    assert "bot> Here it is.\n" in terminal.until("you> ")
    assert users(model) == ["Where is it?", "And the other one?"]

    terminal.type("/retry")
    assert "bot>" not in terminal.until("nothing waits for a reply")
    terminal.until("you> ")


def check_odd_words(terminal: Typed, model: ModelServer) -> None:
    """What would drive a terminal is not shown; markup is text, on either side."""
    odd = "\x1b[31mred\x1b[0m {x} [bold]b[/bold] :smile: \x07\x9b2J \\n <i>"
    model.script.add(text(odd))
    terminal.type("Say something odd {y} [red]")
    terminal.until("bot> ")
    shown = terminal.until("you> ")
    assert "[31mred[0m {x} [bold]b[/bold] :smile: 2J \\n <i>\n" in shown
    assert users(model)[-1] == "Say something odd {y} [red]"
    assert "\x1b" not in terminal.shown
    assert "\x07" not in terminal.shown


def test_ctrl_c_stops_a_reply_and_the_conversation_goes_on(
    tmp_path: Path, env: dict[str, str], model: ModelServer
) -> None:
    with Typed(folder=tmp_path, env=env) as terminal:
        terminal.until("you> ")
        held = hold(text("A very long story."), after_chunks=2)
        model.script.add(held)
        terminal.type("Tell me a story")
        terminal.until("bot> A very ")
        terminal.press_ctrl_c()
        assert "stopped" in terminal.until("you> ")
        model.requests[0].finished.wait()
        assert model.requests[0].disconnected

        model.script.add(text("A short one."))
        terminal.type("Shorter, please")
        shown = terminal.until("you> ")
        assert "bot> A short one.\n" in shown
        assert "another terminal" not in terminal.shown
        assert users(model) == ["Tell me a story", "Shorter, please"]
        assert model.requests[-1].messages[2]["content"].startswith("A very")

        terminal.press_ctrl_c_until("resume with: ")
        assert terminal.ends() == 0


def test_killed_in_the_middle_of_a_reply(
    tmp_path: Path, env: dict[str, str], model: ModelServer
) -> None:
    with Typed("--thread", "t", folder=tmp_path, env=env) as terminal:
        terminal.until("you> ")
        model.script.add(hold(text("It is on its way."), after_chunks=2))
        terminal.type("Where is it?")
        terminal.until("bot> It is ")
        terminal.kill()

    model.script.add(text("On its way."), text("You're welcome."))
    done = piped("Thanks\n", "--thread", "t", folder=tmp_path, env=env)

    assert done.returncode == 0
    assert done.stdout.splitlines()[1:-1] == [
        "bot> On its way.",
        "you> Thanks",
        "bot> You're welcome.",
    ]
    assert users(model) == ["Where is it?", "Thanks"]


def test_killed_while_a_tool_runs(tmp_path: Path, env: dict[str, str], model: ModelServer) -> None:
    with Typed("--thread", "t", folder=tmp_path, env=env, run=SLOW_TOOL) as terminal:
        terminal.until("you> ")
        model.script.add(tool_calls(call("look_up_parcel", {"number": "LH20481137"}, id="c1")))
        terminal.type("Where is LH20481137?")
        until((tmp_path / "began").exists, "the tool runs")
        terminal.kill()

    model.script.add(text("On its way."), text("You're welcome."))
    done = piped("Thanks\n", "--thread", "t", folder=tmp_path, env=env)

    assert "bot> On its way.\nyou> Thanks\nbot> You're welcome.\n" in done.stdout
    assert users(model) == ["Where is LH20481137?", "Thanks"]
    [result] = [m for m in model.requests[-1].messages if m["role"] == "tool"]
    assert result["tool_call_id"] == "c1"
    assert "LH20481137" in text_of(result)


def test_two_terminals_on_one_thread_take_turns(
    tmp_path: Path, env: dict[str, str], model: ModelServer
) -> None:
    with (
        Typed("--thread", "t", folder=tmp_path, env=env) as one,
        Typed("--thread", "t", folder=tmp_path, env=env) as other,
    ):
        one.until("you> ")
        other.until("you> ")
        held = hold(text("One."), after_chunks=1)
        model.script.add(held, text("Two."))
        one.type("First")
        one.until("bot> One.")
        other.type("Second")
        other.until("another terminal is being answered on this thread; waiting")
        assert len(model.requests) == 1
        held.release()
        other.until("bot> Two.\n")
        assert users(model) == ["First", "Second"]


def test_a_piped_conversation_on_sqlite(tmp_path: Path, model: ModelServer) -> None:
    env = environment(f"sqlite:///{tmp_path}/talk.db", model.base_url)
    model.script.add(text("Hello, Ann."), text("Ann."))

    first = piped(b"I am Ann\xff\n\n   \n", "--thread", "t", folder=tmp_path, env=env)
    second = piped("Who am I?\n/quit\nNot said\n", "--thread", "t", folder=tmp_path, env=env)

    assert first.stdout == (
        "thread t - /help lists the commands\n"
        "you> I am Ann\N{REPLACEMENT CHARACTER}\n"
        "bot> Hello, Ann.\n"
        "resume with: make chat THREAD=t\n"
    )
    assert (first.returncode, first.stderr) == (0, "")
    assert "you> Who am I?\nbot> Ann.\nyou> /quit\nresume" in second.stdout
    assert users(model) == ["I am Ann\N{REPLACEMENT CHARACTER}", "Who am I?"]


def test_a_new_thread_has_a_name_to_come_back_by_and_a_refused_message_is_not_kept(
    tmp_path: Path, model: ModelServer
) -> None:
    database = f"sqlite:///{tmp_path}/talk.db"
    env = environment(database, model.base_url, LONGHAUL_MAX_MESSAGE_CHARS="20")
    model.script.add(text("Fine."), text("Again."))

    done = piped(f"{'x' * 21}\n/retry\nShort\n", folder=tmp_path, env=env)

    assert "not sent: the message has 21 characters; at most 20" in done.stdout
    assert "kept" not in done.stdout
    assert done.returncode == 1
    name = done.stdout.split()[1]
    assert done.stdout.endswith(f"resume with: make chat THREAD={name}\n")
    piped("More\n", "--thread", name, folder=tmp_path, env=env)
    assert users(model) == ["Short", "More"]


def test_a_mistake_in_the_settings_is_one_line_and_exit_code_2(
    tmp_path: Path, model: ModelServer
) -> None:
    env = environment(f"sqlite:///{tmp_path}/talk.db", model.base_url, LONGHAUL_RETRIES="often")
    done = piped("Hello\n", folder=tmp_path, env=env)
    assert done.stderr == (
        "error: LONGHAUL_RETRIES = 'often': Input should be a valid integer, "
        "unable to parse string as an integer\n"
    )
    assert (done.stdout, done.returncode) == ("", 2)
