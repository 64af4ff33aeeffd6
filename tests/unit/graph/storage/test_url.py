"""What LONGHAUL_DATABASE may say."""

from pathlib import Path

import pytest

from graph.storage.url import (
    DatabaseUrlError,
    PostgresUrl,
    SqliteUrl,
    hide_password,
    parse_database_url,
)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://localhost/x",
        "postgres://u:p@h:5433/x?sslmode=require",
        "postgresql://postgres@/x?host=%2Ftmp%2Fa%20b",
    ],
)
def test_postgres(url: str) -> None:
    assert parse_database_url(url) == PostgresUrl(url)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///chat.db", "chat.db"),
        ("sqlite:///a/b.db", "a/b.db"),
        ("sqlite:////var/a%20b.db", "/var/a b.db"),
    ],
)
def test_sqlite(url: str, path: str) -> None:
    assert parse_database_url(url) == SqliteUrl(Path(path))


@pytest.mark.parametrize(
    "url",
    [
        "mysql://u:s3cret@h/x",
        "host=h password=s3cret",
        "",
        ":memory:",
        "sqlite://chat.db",
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite:///a.db?mode=ro",
        "postgresql://u:s3cret/x@h/x",
        "postgresql://u:p@h/x?no_such_option=1",
    ],
)
def test_anything_else_is_refused_by_name_and_without_its_password(url: str) -> None:
    with pytest.raises(DatabaseUrlError, match="LONGHAUL_DATABASE=") as raised:
        parse_database_url(url)
    assert "s3cret" not in str(raised.value)
    assert raised.value.__cause__ is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://u:p@h/x", "postgresql://u:***@h/x"),
        ("postgresql://u:p@h@h/x", "postgresql://u:***@h/x"),
        ("postgresql://u:p/q?r@h/x", "postgresql://u:***@h/x"),
        ("postgresql://:p@h/x", "postgresql://:***@h/x"),
        ("postgresql://u@h/x?password=p&a=b", "postgresql://u@h/x?password=***&a=b"),
        ("postgresql://u@h/x?sslpassword=p", "postgresql://u@h/x?sslpassword=***"),
        ("host=h password = p dbname=x", "host=h password = *** dbname=x"),
        ("host=h password='a b' dbname=x", "host=h password=*** dbname=x"),
        ("postgresql://u@h/x", "postgresql://u@h/x"),
    ],
)
def test_passwords_are_hidden(text: str, shown: str) -> None:
    assert hide_password(text) == shown
    assert repr(PostgresUrl(text)) == shown
