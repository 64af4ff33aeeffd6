"""Other ways of remembering, side by side: what each would have shown the model at a probe.

One conversation is held, by the graph, and the others are views of it: the plain history, its end,
or the graph's own summary, facts and window with parts left out. Whether that is fair:

- All filler replies are scripted, so the history would be the same under each strategy, word for
  word. Only what the graph's model answered to earlier probes stands in the window of `summary` and
  `facts`, too, as if they had said it; the plain history goes without.
- `summary` and `facts` are the graph's own, which no strategy could have written otherwise: neither
  the extractor nor the summariser reads the other's work, but for one thing. A summary's audit pins
  what neither it nor the facts hold, so `summary` has fewer pins than it would have by itself.
- They share the marks, so that a rolling summary has the window that ours has; `last-n` keeps
  LAST exchanges, which is what people write.
- The first word is timed one after the other, at the probes alone: a server's prompt cache has seen
  less of each strategy's last request than in a conversation that it answers throughout.

So it says what each way of remembering would have shown, at what cost; it does not say how a
conversation would have gone in which the bot had forgotten earlier.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.model_server.chat import ChatRequest
from app.model_server.steps import Reply
from evals.run.anatomy import newest_parts, system_parts, tokens_of
from evals.run.gateway import Gateway, first_token
from evals.run.records import Other, Sent
from evals.run.stretch import Held

LAST = 8
"""How many exchanges `last-n` sends."""
OURS = "longhaul"

View = Callable[[Sequence[Sent], Sequence[Held]], list[Sent]]
"""From what the graph sent and the turns before, to what is sent."""


def everything(sent: Sequence[Sent], history: Sequence[Held]) -> list[Sent]:
    """The whole conversation."""
    return [_plain(sent), *_said(history), _newest(sent, known=False)]


def last_n(sent: Sequence[Sent], history: Sequence[Held]) -> list[Sent]:
    """The last exchanges."""
    return [_plain(sent), *_said(history[-LAST:]), _newest(sent, known=False)]


def summary_only(sent: Sequence[Sent], _: Sequence[Held]) -> list[Sent]:
    """The rolling summary and the window."""
    system = system_parts(sent[0].content)
    return [_head(system.persona, system.summary), *sent[1:-1], _newest(sent, known=False)]


def facts_only(sent: Sequence[Sent], _: Sequence[Held]) -> list[Sent]:
    """The facts and the window."""
    system = system_parts(sent[0].content)
    return [_head(system.persona, system.facts), *sent[1:-1], _newest(sent, known=True)]


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
        answers[name] = Other(
            reply=reply or "",
            request_tokens=sum(map(tokens_of, shown)),
            first_token=first_token(step),
        )
    return answers


def tokens_otherwise(
    names: Sequence[str], sent: Sequence[Sent], history: Sequence[Held]
) -> dict[str, int]:
    """Tokens of what each strategy would have sent in a turn, asked or not."""
    return {name: sum(map(tokens_of, STRATEGIES[name](sent, history))) for name in names}


def _plain(sent: Sequence[Sent]) -> Sent:
    return _head(system_parts(sent[0].content).persona)


def _head(*parts: str) -> Sent:
    return Sent(role="system", content="\n\n".join(part for part in parts if part))


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
    parts = newest_parts(sent[-1].content)
    if not parts.time:
        return sent[-1]
    lines = [line for line in (parts.late if known else "", parts.time) if line]
    context = "\n".join(["\n\n<context>", *lines, "</context>"])
    return Sent(role="user", content=parts.words + context)
