"""The rules by which facts change."""

from hypothesis import given
from hypothesis import strategies as st

from state.catalogue import KINDS
from state.facts import Change, Facts, ended_in, merged, same, twins
from tests.unit.state.told import change, fact

VALUES = ["Leeds", "leeds", "Bristol", "Hull 3", "LH20481137", "no calls", "Ann-Lee", "Ann Lee"]
changes = st.builds(
    change,
    st.sampled_from(["address", "order_number", "preference", "promise", "mood", "customer_name"]),
    st.sampled_from(VALUES),
    turn=st.integers(1, 9),
    act=st.sampled_from(["state", "state", "state", "retract", "kept", "expired"]),
    old=st.sampled_from(["", "", *VALUES]),
)


def standing(facts: Facts, kind: str) -> list[str]:
    return [each["value"] for each in facts.get(kind, [])]


def after(*made: Change, facts: Facts | None = None) -> tuple[Facts, list[str]]:
    result = merged(facts or {}, made)
    return result.facts, [event["event"] for event in result.events]


def test_the_newest_of_one_wins_and_remembers_the_one_before() -> None:
    facts, events = after(change("address", "Leeds"), change("address", "Bristol", turn=4))
    assert standing(facts, "address") == ["Bristol"]
    assert facts["address"][0]["was"] == "Leeds"
    assert events == ["stated", "changed"]


def test_many_collect_in_order_of_turn() -> None:
    facts, events = after(
        change("order_number", "LH2", turn=5),
        change("order_number", "LH1", turn=3),
        change("order_number", "LH3", turn=7),
    )
    assert standing(facts, "order_number") == ["LH1", "LH2", "LH3"]
    assert events == ["stated"] * 3


def test_a_correction_replaces_the_one_it_names() -> None:
    known: Facts = {"order_number": [fact("order_number", "LH1"), fact("order_number", "LH2")]}
    facts, events = after(change("order_number", "LH3", turn=5, old="LH1"), facts=known)
    assert standing(facts, "order_number") == ["LH2", "LH3"]
    assert facts["order_number"][1]["was"] == "LH1"
    assert events == ["changed"]
    assert standing(known, "order_number") == ["LH1", "LH2"]


def test_a_correction_of_what_nobody_knows_collects_and_is_a_conflict() -> None:
    facts, events = after(
        change("preference", "tea", turn=5, old="milk"),
        facts={"preference": [fact("preference", "coffee")]},
    )
    assert standing(facts, "preference") == ["coffee", "tea"]
    assert events == ["conflict"]


def test_what_is_said_again_stays_as_it_was_and_takes_a_date() -> None:
    known: Facts = {"promise": [fact("promise", "We'll call you back")]}
    again = change("promise", "we’ll call  you-back.", turn=6)
    again["fact"]["about"] = "2026-03-06"
    facts, events = after(again, facts=known)
    assert facts["promise"] == [fact("promise", "We'll call you back", about="2026-03-06")]
    assert events == ["again"]


def test_spelling_is_case_space_dashes_and_stops_and_nothing_else() -> None:
    assert same("12 Hill-Rd., Leeds", "12 hill rd leeds")
    assert same("１２３", "123")
    assert not same("$50", "€50")
    assert not same("1.5 kg", "15 kg")
    assert not same("José", "Jose")
    facts, _ = after(change("budget", "$50"), change("budget", "€50", turn=2))
    assert facts["budget"][0]["was"] == "$50"


def test_of_an_identifier_every_sign_counts() -> None:
    kinds = ["LH0048113O", "LH00481130", "LH0-0481130", "LH+00481130", "LH048113O"]
    facts, events = after(*(change("order_number", value) for value in kinds))
    assert standing(facts, "order_number") == kinds
    assert events == ["stated"] * len(kinds)
    facts, events = after(change("order_number", "lh 00481130", turn=3), facts=facts)
    assert standing(facts, "order_number") == kinds
    assert events == ["again"]


def test_what_is_taken_back_goes_and_only_that() -> None:
    known: Facts = {"phone": [fact("phone", "+44 1"), fact("phone", "+44 2")]}
    facts, events = after(change("phone", "+44 1", turn=5, act="retract"), facts=known)
    assert standing(facts, "phone") == ["+44 2"]
    facts, events = after(change("phone", "+44 2", turn=6, act="retract"), facts=facts)
    assert facts == {}
    assert events == ["retracted"]


def test_what_is_taken_back_may_be_named_in_part_when_one_is_meant() -> None:
    known: Facts = {"address": [fact("address", "12 Hill Rd, Leeds")]}
    assert after(change("address", "Hill Rd", turn=5, act="retract"), facts=known)[0] == {}
    two: Facts = {"preference": [fact("preference", "tea late"), fact("preference", "tea early")]}
    facts, events = after(change("preference", "tea", turn=5, act="retract"), facts=two)
    assert (facts, events) == (two, ["unmet"])


def test_taking_back_the_old_value_leaves_the_new_one() -> None:
    facts, events = after(
        change("address", "Leeds"),
        change("address", "Bristol", turn=4),
        change("address", "Leeds", turn=4, act="retract"),
    )
    assert standing(facts, "address") == ["Bristol"]
    assert events[-1] == "unmet"


def test_a_promise_is_kept_later_than_it_is_made() -> None:
    made = change("promise", "call on Friday", turn=3)
    facts, events = after(made, change("promise", "call on Friday", turn=3, act="kept"))
    assert standing(facts, "promise") == ["call on Friday"]
    assert events == ["stated", "unmet"]
    for act in ("kept", "expired"):
        gone, events = after(change("promise", "call on Friday", turn=7, act=act), facts=facts)
        assert (gone, events) == ({}, [act])


def test_an_older_turn_that_is_read_late_undoes_nothing() -> None:
    known: Facts = {"address": [fact("address", "Bristol", turn=9)]}
    facts, events = after(
        change("address", "Leeds", turn=4),
        change("address", "Bristol", turn=4, act="retract"),
        change("address", "Leeds", turn=4, old="Bristol"),
        facts=known,
    )
    assert facts == known
    assert events == ["conflict", "unmet", "conflict"]


def test_a_kind_that_a_fork_dropped_is_let_go() -> None:
    gone = fact("note", "old")
    gone["kind"] = "retired"
    assert merged({"retired": [gone]}, []).facts == {}
    assert merged({}, [Change(act="state", fact=gone, old="")]).events == []


def test_what_a_turn_ended_is_known() -> None:
    known: Facts = {"address": [fact("address", "Leeds")], "phone": [fact("phone", "+44 1")]}
    result = merged(
        known,
        [
            change("address", "Bristol", turn=5),
            change("phone", "+44 1", turn=5, act="retract"),
            change("note", "x", turn=5),
            change("note", "y", turn=5, old="x"),
        ],
    )
    assert ended_in(result.events, 5) == [known["address"][0], known["phone"][0]]
    assert ended_in(result.events, 4) == []


@given(st.lists(changes, max_size=12))
def test_nothing_goes_but_what_an_event_names(made: list[Change]) -> None:
    facts: Facts = {}
    for each in made:
        before = [f for kind in facts.values() for f in kind]
        result = merged(facts, [each])
        (event,) = result.events
        now = [(f["kind"], f["value"]) for kind in result.facts.values() for f in kind]
        gone = [f for f in before if (f["kind"], f["value"]) not in now]
        assert len(gone) <= 1
        if gone:
            assert event["before"] == gone[0]
            assert event["event"] in {"changed", "retracted", "kept", "expired"}
            assert gone[0]["turn"] <= each["fact"]["turn"]
        facts = result.facts


@given(st.lists(changes, max_size=12))
def test_a_kind_that_has_one_has_one_and_no_value_stands_twice(made: list[Change]) -> None:
    facts = merged({}, made).facts
    for kind, each in facts.items():
        values = [f["value"] for f in each]
        assert len(values) == 1 or KINDS[kind].many
        assert not any(twins(KINDS[kind], a, b) for i, a in enumerate(values) for b in values[:i])
        assert [f["turn"] for f in each] == sorted(f["turn"] for f in each)
    assert list(facts) == [kind for kind in KINDS if kind in facts]


@given(st.lists(changes.filter(lambda c: c["act"] == "state"), max_size=8))
def test_the_same_statements_twice_are_no_news(made: list[Change]) -> None:
    plain = [{**each, "old": ""} for each in made]
    once = merged({}, plain).facts  # type: ignore[arg-type]
    again = [change(f["kind"], f["value"], turn=10) for kind in once.values() for f in kind]
    twice = merged(once, again)
    assert twice.facts == once
    assert {event["event"] for event in twice.events} <= {"again"}
