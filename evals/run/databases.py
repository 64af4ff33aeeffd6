"""A database for each conversation of a run: it stays when the run breaks off."""

from urllib.parse import urlsplit

from psycopg import AsyncConnection, sql


async def ensure(server: str, name: str) -> str:
    """The URL of database `name` on the Postgres at `server`, made if it is not there."""
    async with await AsyncConnection.connect(server, autocommit=True) as connection:
        cursor = await connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
        if await cursor.fetchone() is None:
            made = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))
            await connection.execute(made)
    return urlsplit(server)._replace(path=f"/{name}").geturl()


async def drop(server: str, name: str) -> None:
    """Drops database `name`; nothing if it is not there."""
    statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
    async with await AsyncConnection.connect(server, autocommit=True) as connection:
        await connection.execute(statement)
