"""The page: everything that is known of a run, in one file that needs nothing else."""

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from string import Template

from evals.report.axes import key
from evals.report.strips import strips, tone
from evals.report.tokens import by_layer, by_strategy, colour
from evals.run.anatomy import LAYERS
from evals.run.records import PLACES
from evals.run.report import ConversationResult, Other, ProbeResult, Report
from evals.run.sides import COLUMNS, Times, cells
from evals.run.strategies import OURS

_PLACES = {str(place): str(place) for place in PLACES}
_LAYERS = {
    "persona": "persona and rules",
    "summary": "summary",
    "facts": "facts",
    "window": "window",
    "late": "late facts",
    "recalled": "passages",
    "now": "newest words",
}
_STRIP = (
    "Each strip has a lane a place, from top to bottom: window, summary, facts, archive, request. "
    "Coloured: what stands is found there. ▲ it was said, changed or taken back; ● it was asked "
    "for: green answered, yellow forgotten or asked again, red wrong. Dashed: a compaction."
)


def page(found: Report, timed: Times) -> str:
    """The report as HTML, with its own styles and drawings."""
    template = files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    body = [*_head(found), *_sides(found, timed), *_verdicts(found)]
    for result in found.conversations:
        body += _conversation(result, list(found.strategies))
    return Template(template).substitute(title="longhaul evals", body="\n".join(body))


def _head(found: Report) -> Iterator[str]:
    plan = found.plan
    yield "<h1>Does it remember?</h1>"
    stretched = f", stretched to {plan.turns} turns" if plan.turns else ""
    yield (
        f'<p class="soft">Model {escape(plan.model)}, seed {plan.seed}{stretched}. '
        f"{escape(_settings(found))}</p>"
    )
    if found.note:
        yield f'<p class="note">{escape(found.note)}</p>'
    for result in found.conversations:
        if result.stopped:
            told = f"{result.name}: {result.held} of {result.turns} turns: {result.stopped}"
            yield f'<p class="note">{escape(told)}</p>'


def _settings(found: Report) -> str:
    changed = ", ".join(f"{name}={value}" for name, value in found.plan.settings.items())
    return f"Settings: {changed}." if changed else "Settings as shipped."


def _sides(found: Report, timed: Times) -> Iterator[str]:
    yield "<h2>Side by side</h2>"
    yield (
        '<p class="soft">Tokens as the graph counts them. Cost: of all turns, and of what is asked '
        "for behind the replies, without a discount of the provider's cache. First word: the "
        "middle one of all questions; only a real model is timed.</p>"
    )
    yield '<div class="scroll"><table>'
    yield _row("th", COLUMNS)
    for name, side in found.strategies.items():
        kind = ' class="ours"' if name == OURS else ""
        first, *rest = cells(name, side, found.currency, timed)
        numbers = "".join(f'<td class="number">{escape(cell)}</td>' for cell in rest)
        yield f"<tr{kind}><td>{escape(first)}</td>{numbers}</tr>"
    yield "</table></div>"


def _verdicts(found: Report) -> Iterator[str]:
    names = list(found.strategies)
    yield "<h2>Verdicts</h2>"
    yield '<div class="scroll"><table>'
    yield _row("th", ["conversation", "turn", "asked for", *names, "lost by (ours)"])
    for result in found.conversations:
        for probe in result.probes:
            place = [result.name, str(probe.turn), probe.fact or "nothing"]
            told = "".join(f"<td>{escape(cell)}</td>" for cell in place)
            given = "".join(_verdict(_of(probe, name).verdict) for name in names)
            why = f"{probe.blame}: {probe.why}" if probe.blame else ""
            yield f"<tr>{told}{given}<td>{escape(why)}</td></tr>"
    yield "</table></div>"


def _conversation(result: ConversationResult, names: Sequence[str]) -> Iterator[str]:
    yield f"<h2>{escape(result.name)}</h2>"
    yield (
        f'<p class="soft">{result.held} of {result.turns} turns, {len(result.compactions)} '
        f"compactions, {result.calls:,} calls of the model with {result.tokens:,} tokens.</p>"
    )
    if not result.held:
        return
    yield "<h3>Where each fact was</h3>"
    yield f'<p class="soft">{_STRIP}</p>'
    yield key(_PLACES)
    yield f'<div class="scroll">{strips(result)}</div>'
    if result.layers:
        yield "<h3>Tokens a turn, by layer</h3>"
        yield key({layer: _LAYERS[layer] for layer in LAYERS})
        yield by_layer(result)
    if result.otherwise:
        sent = [*result.otherwise, OURS]
        yield "<h3>Tokens a turn, by strategy</h3>"
        yield key({f"s{colour(place, len(sent))}": name for place, name in enumerate(sent)})
        yield by_strategy(result)
    if result.probes:
        yield "<h3>Questions and replies</h3>"
    for probe in result.probes:
        yield from _probe(probe, names)


def _probe(probe: ProbeResult, names: Sequence[str]) -> Iterator[str]:
    title = f"turn {probe.turn}: {probe.question}"
    yield (
        f"<details><summary>{escape(title)} "
        f'<span class="{tone(probe.verdict)}">{escape(probe.verdict)}</span></summary>'
    )
    for name in names:
        side = _of(probe, name)
        head = f"{name}: {side.verdict}, {side.request_tokens:,} tokens"
        yield f'<p class="soft">{escape(head)}</p><pre>{escape(side.reply)}</pre>'
    yield "</details>"


def _of(probe: ProbeResult, name: str) -> ProbeResult | Other:
    return probe if name == OURS else probe.others[name]


def _verdict(given: str) -> str:
    return f'<td class="{tone(given)}">{escape(given)}</td>'


def _row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
