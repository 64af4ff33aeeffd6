"""Figures to put into reports."""

from evals.bench.figures import End, Figures, Spread
from evals.bench.requests import Fate

CALM = Spread(count=9, p50=10.0, p95=12.0, most=15.0)


def end(wall_ms: float = 20.0, *, tokens: float = 5000.0) -> End:
    return End(
        wall_ms=wall_ms, cpu_ms=10.0, database_bytes=50_000.0, log_bytes=60_000.0, tokens=tokens
    )


def sample(
    name: str,
    *,
    first: End | None = None,
    last: End | None = None,
    tokens: tuple[int, ...] = (1000, 2000, 3000),
    repeated: float = 0.9,
    lost: float = 0.0,
    to_model_ms: float = 10.0,
    warnings: dict[str, int] | None = None,
) -> Figures:
    return Figures(
        name=name,
        turns=len(tokens),
        first=first or end(),
        last=last or end(),
        tokens=list(tokens),
        total_tokens=sum(tokens),
        other_tokens=0,
        repeated=repeated,
        reaches=1.0,
        fate=Fate(in_request=1.0 - lost, shown=0.0, stored=0.0, lost=lost),
        to_model_ms=to_model_ms,
        summaries=0,
        gap=CALM,
        gap_due=None,
        warnings=warnings or {},
    )
