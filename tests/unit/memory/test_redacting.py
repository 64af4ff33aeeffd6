"""Every place of the store is gone through, and what leads to a forgotten fact as well."""

from typing import Any, cast

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.store.memory import InMemoryStore

from memory import by_hand, ledger, names, posts, profile, spilled, stopped, transcript, whole
from memory.facts import log_events, log_forgotten, read_log
from memory.redacting import facts_in, redact, redact_rows
from state.exchanges import Exchange
from state.facts import Event
from state.profile import Learnt
from state.redaction import MARK, Redactor, Wanted
from state.session import RowKey
from state.summary import EMPTY
from tests.unit.state.told import change, fact

ORDER, AT, USER = "LH20481137", "2026-03-04T10:00:00+00:00", "lh2048-1137"
STATED = fact("order_number", ORDER, turn=5, quote=f"about {ORDER}")
OTHER = fact("note", "likes tea", turn=5)
MENTION = fact("note", f"{ORDER} is late", turn=6)
REDACTOR = Redactor(Wanted(kind="order_number", value=ORDER, turns=[5], quotes=[STATED["quote"]]))
THREAD = names.thread("t")


async def written() -> InMemoryStore:
    """A store in which every place of a thread, and the profile of a user, hold the value."""
    store = InMemoryStore()
    said = (HumanMessage(f"It is {ORDER}", id="u"), AIMessage("lh 20481137!", id="a"))
    await transcript.write(store, "t", [(5, Exchange(said))], None, user=USER)
    await spilled.spill(store, "t", [STATED, OTHER, MENTION], turn=6)
    events = [
        Event(event="stated", fact=STATED, before=None),
        Event(event="changed", fact=fact("order_number", "X", turn=7), before=STATED),
        Event(event="stated", fact=OTHER, before=None),
    ]
    await log_events(store, "t", at=AT, events=events)
    event = {"at": AT, "event": "compaction", "turns": [1, 6], "dropped": [f"not said: {ORDER}"]}
    await posts.note(store, "t", "k", {**event, "missed_at_first": [ORDER], "pinned": []})
    post: Any = {"version": 1, "ids": ["u"], "summary": {**EMPTY, "items": [{"text": ORDER}]}}
    await posts.post(store, "t", post)
    await posts.write_draft(store, "t", post["summary"])
    failed: Any = {"cause": f"it said {ORDER}"}
    await posts.post_failure(store, "t", failed)
    draft = stopped.Stopped(id="s", after="u", text=f"so {ORDER}", run="")
    await stopped.keep(store, "t", draft)
    await ledger.record(
        store, "t", "key", action="refund", args={"parcel": ORDER, "n": 1}, result=f"paid {ORDER}"
    )
    packet = {"kind": "handover", "facts": [STATED, OTHER], "open": [f"find {ORDER}"]}
    await store.aput(names.handover("t"), names.PACKET, packet)
    await by_hand.write(store, "t", by_hand.ByHand(at=AT, change=change("order_number", ORDER)))
    await store.aput(names.images("t"), "key", {"url": f"data:{ORDER}"})
    learnt = [Learnt(id=f["value"], ends=False, at=AT, thread="t", fact=f) for f in (STATED, OTHER)]
    await profile.learn(store, USER, learnt)
    return store


async def held(store: InMemoryStore, space: tuple[str, ...]) -> dict[str, Any]:
    """What the items below `space` hold, by place and key."""
    return {f"{i.namespace[3]}/{i.key}": i.value for i in await whole.items(store, space)}


async def test_nothing_of_a_thread_holds_it_and_the_rest_stays() -> None:
    store = await written()
    looked = await redact(store, THREAD, REDACTOR, look=True)
    assert await redact(store, THREAD, REDACTOR) == looked
    assert dict(looked.places) == {
        "transcript": 1, "facts": 2, "fact-log": 2, "log": 1, "compaction": 4, "actions": 1,
        "handover": 1, "by-hand": 1,
    }  # fmt: skip
    left = await held(store, THREAD)
    assert [name for name, value in left.items() if ORDER in str(value)] == ["images/key"]
    assert (await redact(store, THREAD, REDACTOR)).count == 0

    [(key, row)] = looked.rows
    assert await transcript.read_row(store, key) == row
    assert [m["content"] for m in row["messages"]] == [f"It is {MARK}", f"{MARK}!"]
    assert (row["ids"], row["user"]) == (["u", "a"], USER)
    assert left["actions/key"] == {
        "action": "refund", "args": {"parcel": MARK, "n": 1}, "result": f"paid {MARK}",
    }  # fmt: skip
    assert left["handover/packet"]["facts"] == [OTHER]
    assert left["compaction/stopped"]["text"] == f"so {MARK}"
    assert sorted(key for key in left if key.startswith("compaction")) == ["compaction/stopped"]


async def test_the_log_says_what_happened_without_the_value() -> None:
    store = await written()
    await redact(store, THREAD, REDACTOR)
    await log_forgotten(store, "t", at=AT, kind="order_number", turn=8)
    rows = await read_log(store, "t")
    assert sorted((r["event"], r["value"], r["before"]) for r in rows) == [
        ("changed", "X", MARK),
        ("forgotten", "", ""),
        ("stated", MARK, ""),
        ("stated", "likes tea", ""),
    ]


async def test_a_spilled_fact_is_found_no_more_and_a_reworded_one_still_is() -> None:
    store = await written()
    await redact(store, THREAD, REDACTOR)
    found = await spilled.find(store, ["t"], f"order {ORDER} late tea", through=9)
    assert sorted(each["value"] for each in found) == [f"{MARK} is late", "likes tea"]
    keys = {key for item in await whole.items(store, names.spilled_words("t"))
            for key in item.value["facts"]}  # fmt: skip
    assert spilled.spilled_key(STATED) not in keys
    assert spilled.spilled_key(MENTION) not in keys


async def test_the_profile_of_its_user_forgets_it_too() -> None:
    store = await written()
    assert (await redact(store, names.user(USER), REDACTOR)).places == {"profile": 1}
    assert [each["fact"] for each in await profile.read(store, USER)] == [OTHER]


async def test_single_rows_of_another_thread_are_redacted() -> None:
    store = await written()
    [item] = await whole.items(store, names.transcript("t"))
    keys = [RowKey(thread="t", key=item.key), RowKey(thread="t", key="00000009-gone")]
    assert (await redact_rows(store, keys, REDACTOR, look=True)).count == 1
    assert (await redact_rows(store, keys, REDACTOR)).count == 1
    assert (await redact_rows(store, keys, REDACTOR)).count == 0
    row = await transcript.read_row(store, keys[0])
    assert row is not None
    assert ORDER not in str(row["messages"])


def test_an_item_says_which_facts_it_is_about() -> None:
    learnt = Learnt(id="i", ends=True, at=AT, thread="t", fact=STATED)
    assert list(facts_in({**STATED})) == [STATED]
    assert list(facts_in(cast("dict[str, Any]", learnt))) == [STATED]
    assert list(facts_in({"change": {"act": "state", "fact": STATED}})) == [STATED]
    assert list(facts_in({"change": "none", "kind": "now", "text": "x"})) == []
