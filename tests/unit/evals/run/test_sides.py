"""What each strategy reached, sent and cost."""

import pytest

from evals.run.plan import Plan
from evals.run.records import Other, Spent, TurnRecord
from evals.run.run import Outcome
from evals.run.sides import COLUMNS, Side, cells, sides, times
from graph.prices import Price, Prices
from state.tokens import count_text
from tests.unit.evals.run.samples import asked, record, sample_course, turn_of

PLAN = Plan(conversations=("sample",), model="m", strategies=("everything", "facts"))
PRICES = Prices(
    currency="EUR",
    models={"m": Price(input=1_000_000, output=0), "x": Price(input=0, output=1_000_000)},
)
PROBE = turn_of("address")


def spent(purpose: str, *, output: int, model: str = "x") -> Spent:
    return Spent(purpose=purpose, model=model, calls=1, input=5, cached=0, output=output)


def outcome() -> Outcome:
    """All turns up to the first probe, which everything and facts answer otherwise."""
    records = [
        record(turn, {}).model_copy(
            update={
                "layers": {"now": 100},
                "otherwise": {"everything": 200, "facts": 50},
                "spent": [spent("Operations", output=3), spent("Changes", output=1)],
            }
        )
        for turn in range(1, PROBE)
    ]
    others = {
        "everything": Other(reply="2 Oak Row", request_tokens=900, first_token=4.0),
        "facts": Other(reply="Hm.", request_tokens=60, first_token=1.0),
    }
    question = asked("2 Oak Row").model_copy(update={"others": others, "first_token": 2.0})
    last = record(PROBE, {}, asked=question).model_copy(
        update={"layers": {"now": 100}, "spent": [spent("reply", output=9)]}
    )
    return Outcome(course=sample_course(), records=[*records, last])


def found(prices: Prices | None = PRICES) -> dict[str, Side]:
    verdicts = {"everything": ["answered"], "facts": ["forgotten"], "longhaul": ["answered"]}
    return sides(PLAN, [outcome()], verdicts, prices)  # type: ignore[arg-type]


def test_each_pays_for_all_of_its_turns_and_for_what_it_asks_behind_them() -> None:
    before = PROBE - 1
    everything, facts, ours = found().values()
    assert (everything.tokens, facts.tokens, ours.tokens) == (900, 60, 100)
    assert everything.sent == before * 200 + 900
    assert facts.sent == before * 50 + 60
    assert ours.sent == PROBE * 100
    assert (everything.behind, facts.behind, ours.behind) == (0, before * 8, before * 14)
    # A token of a request costs one, and so does one that is written behind the replies.
    assert everything.cost == pytest.approx(everything.sent)
    assert facts.cost == pytest.approx(facts.sent + before * 3)
    assert ours.cost == pytest.approx(ours.sent + before * 4)
    assert (facts.answered, facts.probes, facts.verdicts) == (0, 1, {"forgotten": 1})


def test_replies_are_paid_for_too() -> None:
    writing = Prices(
        currency="EUR",
        models={"m": Price(input=0, output=1_000_000), "x": Price(input=0, output=0)},
    )
    everything, facts, _ = found(writing).values()
    said = sum(count_text(held.reply or "") for held in sample_course().turns[: PROBE - 1])
    assert everything.cost == pytest.approx(said + count_text("2 Oak Row"))
    assert facts.cost == pytest.approx(said + count_text("Hm."))


def test_without_a_price_there_is_no_cost() -> None:
    assert [side.cost for side in found(None).values()] == [None] * 3
    unpriced = Prices(currency="EUR", models={"m": Price(input=1, output=1)})
    everything, facts, _ = found(unpriced).values()
    assert everything.cost is not None
    assert facts.cost is None


def test_what_an_older_release_did_not_count_is_not_told() -> None:
    held = outcome()
    older: list[TurnRecord] = [each.model_copy(update={"layers": {}}) for each in held.records]
    verdicts = {name: ["answered"] for name in ("everything", "facts", "longhaul")}
    told = sides(PLAN, [Outcome(course=held.course, records=older)], verdicts, PRICES)  # type: ignore[arg-type]
    assert {(side.sent, side.behind, side.cost) for side in told.values()} == {(None, None, None)}
    assert told["everything"].tokens == 900
    assert cells("facts", told["facts"], "", {}) == ["facts", "1 of 1", "60", "", "", "", ""]


def test_the_first_word_is_the_middle_of_those_that_were_timed() -> None:
    timed = times([outcome(), outcome()])
    assert timed == {"everything": 4.0, "facts": 1.0, "longhaul": 2.0}
    untimed = record(1, {}, asked=asked("Hm."))
    assert times([Outcome(course=sample_course(), records=[untimed])]) == {}
    row = cells("everything", found()["everything"], "EUR", timed)
    assert len(row) == len(COLUMNS)
    assert row[-1] == "4.0 s"
    assert row[-2].endswith(" EUR")
