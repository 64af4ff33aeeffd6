"""Tokens a turn: by layer, stacked; and what each strategy would have sent."""

from collections.abc import Iterator, Mapping, Sequence

from evals.report.axes import Axes, picture, rounded
from evals.run.anatomy import LAYERS
from evals.run.report import ConversationResult
from evals.run.strategies import OURS

_HEIGHT = 190
_TOP = 8
_DEEP = _TOP + _HEIGHT + 24


def by_layer(result: ConversationResult) -> str:
    """The layers of each request, one on the other."""
    axes = _axes(result, max(result.request_tokens))
    body = [*axes.token_marks(), *_areas(axes, result.layers)]
    body += [*axes.folds(result.compactions), *axes.turn_marks()]
    return picture(_DEEP, f"Tokens a turn of {result.name}, by layer", body)


def by_strategy(result: ConversationResult) -> str:
    """The tokens of each strategy's request, ours on top."""
    sent = {**result.otherwise, OURS: result.request_tokens}
    axes = _axes(result, max(max(tokens) for tokens in sent.values()))
    body = [*axes.token_marks()]
    for place, tokens in enumerate(sent.values()):
        number = colour(place, len(sent))
        points = " ".join(f"{axes.middle(t)},{axes.y(n)}" for t, n in enumerate(tokens, 1))
        body.append(f'<polyline class="line s{number}" points="{points}"/>')
    body += [*axes.folds(result.compactions), *axes.turn_marks()]
    return picture(_DEEP, f"Tokens a turn of {result.name}, by strategy", body)


def colour(place: int, of: int) -> int:
    """The number of a strategy's colour; the last, ours, has its own."""
    return 4 if place == of - 1 else place % 4


def _axes(result: ConversationResult, most: int) -> Axes:
    return Axes(turns=result.turns, top=_TOP, height=_HEIGHT, most=rounded(most))


def _areas(axes: Axes, layers: Mapping[str, Sequence[int]]) -> Iterator[str]:
    """An area a layer: steps along its upper edge, and back along that of the one below."""
    below = [0] * len(layers[LAYERS[0]])
    for layer in LAYERS:
        above = [sum(pair) for pair in zip(below, layers[layer], strict=True)]
        edge = [*_steps(axes, above), *reversed(list(_steps(axes, below)))]
        yield (
            f'<polygon class="f-{layer}" points="{" ".join(edge)}"><title>{layer}</title></polygon>'
        )
        below = above


def _steps(axes: Axes, tokens: Sequence[int]) -> Iterator[str]:
    for turn, count in enumerate(tokens, 1):
        y = axes.y(count)
        yield f"{axes.x(turn)},{y}"
        yield f"{axes.x(turn + 1)},{y}"
