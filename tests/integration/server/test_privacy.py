"""What a client gives with a run besides its messages is in no table afterwards."""

from app.model_server.steps import hold, text
from tests.integration.server.served import Served
from tests.integration.server.talk import Talk, user

SECRET = "sk-live-3f9a1c2e77"
USER = "user-77c1d2"
PERSON = "ada.lovelace@example.org"


async def test_keys_and_personal_data_are_in_no_table(shared: Served, talk: Talk) -> None:
    given = {"api_key": SECRET, "customer": {"email": PERSON}, "token": [SECRET]}
    held = hold(text("Half a reply"), after_chunks=1)
    stopped = talk.mark("Stopped")
    shared.book.write(stopped, held)

    await talk.say(talk.mark("One"), config={"configurable": given, "metadata": given})
    await talk.say(talk.mark("Two"), context=given, metadata=given)
    run = await talk.begin(user(stopped), config={"configurable": given}, metadata=given)
    await held.reached.wait_async(within=60)
    await talk.client.runs.cancel(talk.id, run, wait=True)
    await talk.say(talk.mark("Three"), context={"user": USER})
    await talk.client.threads.update(talk.id, metadata=given)
    await talk.client.threads.update_state(
        talk.id, {"messages": [{"role": "user", "content": "x"}]}
    )
    await talk.run(None, config={"configurable": given, "metadata": given})

    assert shared.holding(stopped) != []
    assert shared.holding(SECRET) == []
    assert shared.holding(PERSON) == []
    assert [column for column in shared.holding(USER) if column.startswith("checkpoint")] == []
