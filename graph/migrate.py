"""Make and upgrade the tables, once, however many processes start at the same time."""

from graph.database import Database, open_database
from graph.storage.advisory import advisory_lock
from graph.storage.postgres_saver import PostgresSaver
from graph.storage.stores import PostgresStore
from graph.storage.url import PostgresUrl


async def migrate(url: str, *, pooler: bool = False) -> bool:
    """Bring the database's tables up to date; say whether a Postgres had to be changed.

    Safe when many do it at once on an empty database. Raises what `open_database` raises.
    """
    async with open_database(url, pool_size=2, pooler=pooler) as database:
        return await migrate_open(database)


async def migrate_open(database: Database) -> bool:
    """Do what `migrate` does, for a database that is open."""
    saver, store = database.saver, database.store
    if not (
        isinstance(database.url, PostgresUrl)
        and isinstance(saver, PostgresSaver)
        and isinstance(store, PostgresStore)
    ):
        return False  # a SQLite database is set up as it is opened
    if await _is_set_up(saver, store):
        return False
    async with advisory_lock(database.url, "migrate", pooler=database.pooler):
        if await _is_set_up(saver, store):
            return False
        await saver.setup()
        await store.setup()
    return True


async def _is_set_up(saver: PostgresSaver, store: PostgresStore) -> bool:
    return await saver.is_set_up() and await store.is_set_up()
