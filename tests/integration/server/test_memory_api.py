"""The routes under `/memory` of a server: what is shown, corrected, taken along, forgotten."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import httpx
import jsonschema_rs
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.internal.conjecture.utils import many
from langgraph_sdk.client import LangGraphClient
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from app.model_server.chat import text_of
from tests.integration.server.served import Served
from tests.integration.server.talk import Talk, connected

THINGS = ("My name is Ann.", "I am allergic to nuts.", "It is about LH20481137.")
CHECKS = [not_a_server_error, status_code_conformance, response_schema_conformance]


@pytest.fixture
async def http(shared: Served) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=shared.dev.url, timeout=30) as connection:
        yield connection


@pytest.fixture
def user() -> str:
    return f"ann@example.org/{uuid4().hex}"


@pytest.fixture
async def talk(client: LangGraphClient, user: str) -> Talk:
    """A thread in which a user said three things at once."""
    thread = Talk(client=client)
    await thread.say(" ".join(THINGS), context={"user": user})
    return thread


@pytest.fixture(scope="module")
def settled(shared: Served) -> Talk:
    """A thread in which the same was said in three turns; nothing in it is changed."""

    async def settle() -> Talk:
        async with connected(shared.dev.url) as client:
            thread = Talk(client=client)
            for words in THINGS:
                await thread.say(words, context={"user": "settled"})
            return thread

    return asyncio.run(settle())


async def facts(http: httpx.AsyncClient, talk: Talk) -> dict[str, Any]:
    """The facts of a thread, by kind; of several the newest."""
    answer = await http.get(f"/memory/threads/{talk.id}/facts")
    assert answer.status_code == 200, answer.text
    return {fact["kind"]: fact for fact in answer.json()["facts"]}


def sent(shared: Served, words: str) -> str:
    """The newest request for a reply to `words`, whole."""
    return "\n".join(text_of(m) for m in shared.requests(words)[-1].chat.messages)


async def test_an_overview_of_a_short_conversation(http: httpx.AsyncClient, settled: Talk) -> None:
    seen = (await http.get(f"/memory/threads/{settled.id}")).json()
    assert (seen["turn"], seen["window_from"], seen["memory_version"]) == (3, 1, 0)
    assert seen["summary"] == {"through": 0, "items": [], "pins": []}
    assert seen["request"]["tokens"] == sum(seen["request"]["layers"].values())
    assert seen["request"]["layers"]["window"] > 0
    assert [each["turn"] for each in seen["tokens"]] == [1, 2, 3]
    assert seen["recalled"]["reason"] == "nothing has left the window"


async def test_a_fact_is_shown_with_its_evidence_and_history(
    http: httpx.AsyncClient, settled: Talk
) -> None:
    known = await facts(http, settled)
    assert [*known] == ["customer_name", "order_number", "must_not"], "in the catalogue's order"
    name = known["customer_name"]
    assert (name["value"], name["turn"], name["by"]) == ("Ann", 1, "user")
    assert (name["quote"], name["says"]) == ("My name is Ann", "the user's own name")
    assert (name["where"], name["lasts"], name["thread"]) == ("thread", True, settled.id)
    assert [event["event"] for event in name["history"]] == ["stated"]
    assert known["order_number"]["lasts"] is False


async def test_what_is_corrected_by_hand_wins_and_is_logged_as_such(
    shared: Served, http: httpx.AsyncClient, talk: Talk, user: str
) -> None:
    known = await facts(http, talk)
    for kind, value in (("customer_name", "Anne Lee"), ("must_not", "peanuts")):
        path = f"/memory/threads/{talk.id}/facts/{known[kind]['id']}"
        answer = await http.put(path, json={"value": value})
        assert answer.status_code == 200, answer.text
        fact = answer.json()["fact"]
        assert (fact["value"], fact["was"]) == (value, known[kind]["value"])
        assert fact["history"][-1]["event"] == "corrected by hand"
        assert (await facts(http, talk))[kind] == fact, "shown at once"

    words = talk.mark("Who am I?")
    await talk.say(words, context={"user": user})
    asked = sent(shared, words)
    assert "customer_name: Anne Lee (before: Ann)" in asked
    assert "must_not: peanuts (before: nuts)" in asked
    now = await facts(http, talk)
    assert (now["customer_name"]["value"], now["customer_name"]["found"]) == ("Anne Lee", "hand")

    another = Talk(client=talk.client)
    words = another.mark("Hello!")
    await another.say(words, context={"user": user})
    asked = sent(shared, words)
    assert "Anne Lee" in asked
    assert "peanuts" in asked
    assert " nuts [" not in asked
    assert "LH20481137" not in asked
    assert (await facts(http, another))["customer_name"]["where"] == "profile"


async def test_the_users_own_later_words_win_over_the_hand(
    http: httpx.AsyncClient, talk: Talk, user: str
) -> None:
    known = await facts(http, talk)
    path = f"/memory/threads/{talk.id}/facts/{known['customer_name']['id']}"
    await http.put(path, json={"value": "Anne"})
    await talk.say("My name is Joan.", context={"user": user})
    name = (await facts(http, talk))["customer_name"]
    assert (name["value"], name["was"]) == ("Joan", "Anne")


async def test_a_fact_is_set_in_a_thread_that_nobody_owns(
    shared: Served, http: httpx.AsyncClient, client: LangGraphClient
) -> None:
    talk = Talk(client=client)
    await talk.say("I can spend fifty.")
    path = f"/memory/threads/{talk.id}/facts"
    answer = await http.post(path, json={"kind": "budget", "value": "  sixty\nor so "})
    assert answer.json()["fact"]["value"] == "sixty or so"
    assert answer.json()["fact"]["was"] == "fifty"
    answer = await http.post(path, json={"kind": "note", "value": "has a dog"})
    assert answer.json()["fact"]["history"][-1]["event"] == "corrected by hand"
    words = talk.mark("And now?")
    await talk.say(words)
    assert "budget: sixty or so (before: fifty)" in sent(shared, words)
    assert "note: has a dog" in sent(shared, words)


NOT_KEPT: list[tuple[Any, str]] = [
    ({"kind": "shoe_size", "value": "9"}, "kind"),
    ({"kind": "note", "value": " .,"}, "value"),
    ({"kind": "note", "value": "x" * 500}, "value"),
    ({"kind": "note", "value": "my card is 4111 1111 1111 1111"}, "value"),
    ({"kind": "mood", "value": "purple"}, "value"),
    ({"kind": "note"}, "value"),
    ({"kind": "note", "value": 9}, "value"),
    ({"kind": "note", "value": "x", "turn": 3}, "turn"),
    ([], ""),
]


async def test_what_cannot_be_kept_is_refused_and_says_why(
    http: httpx.AsyncClient, settled: Talk
) -> None:
    for body, field in NOT_KEPT:
        answer = await http.post(f"/memory/threads/{settled.id}/facts", json=body)
        assert (answer.status_code, answer.json()["field"]) == (400, field), body
        assert answer.json()["error"]
        assert "4111" not in answer.text


async def test_odd_requests_are_refused(http: httpx.AsyncClient, settled: Talk) -> None:
    path = f"/memory/threads/{settled.id}/facts"
    known = (await facts(http, settled))["order_number"]["id"]
    assert (await http.put(f"{path}/{known}", content=b"{")).status_code == 400
    assert (await http.put(f"{path}/{known}", content=b"[" * 60_000)).status_code == 400
    assert (await http.put(f"{path}/{known}", content=b" " * 70_000)).status_code == 413
    assert (await http.put(f"{path}/nope", json={"value": "x"})).status_code == 404
    assert (await http.delete(f"{path}/nope")).status_code == 404
    assert (await http.get(f"/memory/threads/{uuid4()}")).status_code == 404
    assert (await http.get("/memory/profile")).json()["field"] == "user"
    assert (await http.get(f"/memory/threads/{settled.id}/transcript?count=x")).status_code == 400


async def test_the_transcript_comes_in_pages(http: httpx.AsyncClient, settled: Talk) -> None:
    path = f"/memory/threads/{settled.id}/transcript"
    newest = (await http.get(path, params={"count": 2})).json()
    assert [each["turn"] for each in newest["exchanges"]] == [2, 3]
    asked, replied = newest["exchanges"][0]["words"]
    assert (asked["role"], asked["text"]) == ("user", "I am allergic to nuts.")
    assert replied["role"] == "assistant"
    assert newest["exchanges"][0]["tokens"]["output"] > 0
    first = (await http.get(path, params={"count": 2, "before": newest["before"]})).json()
    assert ([each["turn"] for each in first["exchanges"]], first["before"]) == ([1], 0)


async def test_the_host_sets_what_it_knows_and_the_conversation_begins_with_it(
    shared: Served, http: httpx.AsyncClient, client: LangGraphClient, user: str
) -> None:
    asked = {"user": user}
    for kind, value in (("customer_name", "Ann"), ("address", "3 Bay St, Hull")):
        answer = await http.post(
            "/memory/profile", json={"kind": kind, "value": value}, params=asked
        )
        assert answer.status_code == 200, answer.text
    refused = await http.post(
        "/memory/profile", json={"kind": "budget", "value": "9"}, params=asked
    )
    assert (refused.status_code, refused.json()["field"]) == (400, "kind")
    known = (await http.get("/memory/profile", params=asked)).json()["facts"]
    address = next(fact for fact in known if fact["kind"] == "address")
    path = f"/memory/profile/{address['id']}"
    changed = await http.put(path, json={"value": "9 Hill Rd, Leeds"}, params=asked)
    events = [(e["event"], e["value"]) for e in changed.json()["fact"]["history"]]
    assert events[0] == ("stated by hand", "3 Bay St, Hull")
    assert ("ended", "3 Bay St, Hull") in events
    assert (await http.put(path, json={"value": "x"}, params=asked)).status_code == 404

    talk = Talk(client=client)
    words = talk.mark("Hello!")
    await talk.say(words, context={"user": user})
    assert "customer_name: Ann [an earlier conversation" in sent(shared, words)
    assert "address: 9 Hill Rd, Leeds (before: 3 Bay St, Hull)" in sent(shared, words)

    known = (await http.get("/memory/profile", params=asked)).json()["facts"]
    name = next(fact for fact in known if fact["kind"] == "customer_name")
    gone = await http.delete(f"/memory/profile/{name['id']}", params=asked)
    assert gone.status_code == 200, gone.text
    assert not any(gone.json()["found"].values())
    known = (await http.get("/memory/profile", params=asked)).json()["facts"]
    assert [fact["kind"] for fact in known] == ["address"]
    again = talk.mark("Good morning!")
    await talk.say(again, context={"user": user})
    assert "customer_name" not in sent(shared, again)
    lost = await http.delete(f"/memory/profile/{'0' * 16}", params=asked)
    assert (lost.status_code, lost.json()["field"]) == (404, "fact")


async def test_an_export_holds_it_all_and_fits_its_schema(
    http: httpx.AsyncClient, talk: Talk, user: str
) -> None:
    schema = (await http.get("/memory/export/schema.json")).json()
    export = (await http.get("/memory/export", params={"user": user})).json()
    jsonschema_rs.validator_for(schema).validate(export)
    assert export["user"] == user
    [thread] = export["threads"]
    assert thread["thread"] == talk.id
    assert [each["turn"] for each in thread["transcript"]] == [1]
    assert {fact["value"] for fact in export["profile"]} == {"Ann", "nuts"}
    assert sorted(row["event"] for row in thread["log"]) == [
        "stated",
        "stated",
        "stated by pattern",
    ]
    alone = (await http.get(f"/memory/threads/{talk.id}/export")).json()
    assert alone["transcript"] == thread["transcript"]
    assert (thread["edited"], thread["images"]) == ([], {})
    assert thread["more"]["owner"] == [{"user": user}]
    assert thread["more"]["counts"]


async def test_forgetting_gives_receipts(http: httpx.AsyncClient, talk: Talk, user: str) -> None:
    known = await facts(http, talk)
    path = f"/memory/threads/{talk.id}/facts/{known['must_not']['id']}"
    receipt = (await http.delete(path)).json()
    assert (receipt["what"], set(receipt["found"].values())) == ("fact", {0})
    assert "must_not" not in await facts(http, talk)
    profile = await http.get("/memory/profile", params={"user": user})
    assert [fact["value"] for fact in profile.json()["facts"]] == ["Ann"]

    receipt = (await http.delete(f"/memory/threads/{talk.id}")).json()
    assert (receipt["what"], set(receipt["found"].values())) == ("thread", {0})
    assert (await http.get(f"/memory/threads/{talk.id}")).status_code == 404
    receipt = (await http.delete("/memory/me", params={"user": user})).json()
    assert (receipt["what"], set(receipt["found"].values())) == ("user", {0})
    profile = await http.get("/memory/profile", params={"user": user})
    assert profile.json()["facts"] == []


@pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")
def test_nothing_that_fits_the_document_or_does_not_breaks_a_route(
    shared: Served, one: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fuzzed by schemathesis: no 500, and no answer that the document does not announce."""
    monkeypatch.setattr(many, "more", _more, raising=False)
    schema = schemathesis.openapi.from_url(f"{shared.dev.url}/memory/openapi.json")
    schema.config.update(base_url=shared.dev.url)
    tried = 0
    for found in schema.get_all_operations():
        operation: Any = found.ok()  # type: ignore[union-attr]

        @settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy())
        def fuzz(case: schemathesis.Case) -> None:
            nonlocal tried
            tried += 1
            if case.path_parameters and tried % 2:
                given_ids = {"thread": one[0], "fact": one[1]}
                case.path_parameters |= {k: given_ids[k] for k in case.path_parameters}
            case.call_and_validate(checks=CHECKS)

        fuzz()
    assert tried > 90


def _more(self: many) -> bool:
    """What hypothesis-jsonschema 0.23 calls, and Hypothesis 6.166 took away."""
    if not hasattr(self, "_loop"):
        self.__enter__()
        self._loop = self._iterate()  # type: ignore[attr-defined]
    return next(self._loop, False) is None  # type: ignore[attr-defined]


@pytest.fixture
async def one(http: httpx.AsyncClient, talk: Talk) -> tuple[str, str]:
    """A thread, and a fact of it."""
    return talk.id, (await facts(http, talk))["order_number"]["id"]
