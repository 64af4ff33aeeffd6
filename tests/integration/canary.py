"""Looking for words in every table of a database, and in every file below a folder."""

from collections.abc import Iterable
from pathlib import Path

import psycopg
from psycopg import sql


def in_tables(url: str, words: str) -> list[str]:
    """The columns that hold `words`, of any case, such as `store.value`."""
    found = []
    with psycopg.connect(url, autocommit=True) as connection:
        columns = connection.execute(
            "SELECT table_name, column_name, data_type FROM information_schema.columns "
            "WHERE table_schema = 'public'"
        ).fetchall()
        for table, column, kind in columns:
            text = sql.SQL("encode({}, 'escape')" if kind == "bytea" else "{}::text").format(
                sql.Identifier(column)
            )
            statement = sql.SQL("SELECT 1 FROM {} WHERE {} ILIKE %s LIMIT 1").format(
                sql.Identifier(table), text
            )
            if connection.execute(statement, (f"%{words}%",)).fetchone():
                found.append(f"{table}.{column}")
    return found


def in_files(folders: Iterable[Path], words: str) -> list[str]:
    """The files below `folders` that hold `words`, of any case."""
    wanted = words.encode().lower()
    every = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return [str(path) for path in every if wanted in path.read_bytes().lower()]
