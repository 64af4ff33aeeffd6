"""Other ways of remembering, side by side: what each would have shown the model at a probe.

They are views of one memory: the graph's own summary, facts and window, with parts left out, or the
plain history in their place. So they are compared on the same conversation, and on nothing else.
"""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.model_server.chat import ChatRequest
from app.model_server.steps import Reply
from evals.run.gateway import Gateway, request_tokens
from evals.run.records import Other, Sent
from evals.run.stretch import Held

LAST = 8
"""How many exchanges `last-n` sends."""
OURS = "longhaul"

View = Callable[[Sequence[Sent], Sequence[Held]], list[Sent]]
"""From what the graph sent and the turns before, to what is sent."""

_SUMMARY = re.compile(r"\n\n<summary.*?</summary>", re.DOTALL)
_FACTS = re.compile(r"\n\n<facts>.*?</facts>", re.DOTALL)
_CONTEXT = re.compile(r"\n\n<context>\n(?P<lines>.*?)\n?</context>\s*$", re.DOTALL)
_KNOWN = re.compile(r"Also known:\n(?:- .*\n)+")
_NOW = re.compile(r"^Now: .*$", re.MULTILINE)


def everything(sent: Sequence[Sent], history: Sequence[Held]) -> list[Sent]:
    """The whole conversation."""
    return [_plain(sent), *_said(history), _newest(sent, known=False)]


def last_n(sent: Sequence[Sent], history: Sequence[Held]) -> list[Sent]:
    """The last exchanges."""
    return [_plain(sent), *_said(history[-LAST:]), _newest(sent, known=False)]


def summary_only(sent: Sequence[Sent], _: Sequence[Held]) -> list[Sent]:
    """The rolling summary and the window."""
    head = Sent(role="system", content=_FACTS.sub("", sent[0].content))
    return [head, *sent[1:-1], _newest(sent, known=False)]


def facts_only(sent: Sequence[Sent], _: Sequence[Held]) -> list[Sent]:
    """The facts and the window."""
    head = Sent(role="system", content=_SUMMARY.sub("", sent[0].content))
    return [head, *sent[1:-1], _newest(sent, known=True)]


STRATEGIES: Mapping[str, View] = {
    "everything": everything,
    "last-n": last_n,
    "summary": summary_only,
    "facts": facts_only,
}


async def asked_otherwise(
    names: Sequence[str],
    sent: Sequence[Sent],
    history: Sequence[Held],
    gateway: Gateway,
    request: ChatRequest,
) -> dict[str, Other]:
    """What the model says to the same question under each strategy."""
    answers: dict[str, Other] = {}
    kept = {k: v for k, v in request.body.items() if k not in {"stream", "stream_options"}}
    for name in names:
        shown = STRATEGIES[name](sent, history)
        messages: list[dict[str, Any]] = [each.model_dump() for each in shown]
        asked = ChatRequest({**kept, "messages": messages})
        step = await asyncio.to_thread(gateway.ask, asked)
        reply = step.content if isinstance(step, Reply) else None
        answers[name] = Other(reply=reply or "", request_tokens=request_tokens(asked))
    return answers


def _plain(sent: Sequence[Sent]) -> Sent:
    return Sent(role="system", content=_FACTS.sub("", _SUMMARY.sub("", sent[0].content)))


def _said(history: Sequence[Held]) -> list[Sent]:
    """Turns that a model answered are left out: each strategy would have answered otherwise."""
    return [
        message
        for held in history
        if held.reply is not None
        for message in (
            Sent(role="user", content=held.user),
            Sent(role="assistant", content=held.reply),
        )
    ]


def _newest(sent: Sequence[Sent], *, known: bool) -> Sent:
    """The newest words, with the time; with the facts of the late context only if `known`."""
    words = sent[-1].content
    found = _CONTEXT.search(words)
    if found is None:
        return sent[-1]
    facts = _KNOWN.findall(found["lines"]) if known else []
    lines = [*(each.rstrip("\n") for each in facts), *_NOW.findall(found["lines"])]
    context = "\n".join(["\n\n<context>", *lines, "</context>"])
    return Sent(role="user", content=words[: found.start()] + context)
