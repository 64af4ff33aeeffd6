"""What `LONGHAUL_DATABASE` may say."""

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict

_SETTING = "LONGHAUL_DATABASE"
_USER_PART = re.compile(r"(?<=://)(?P<user>[^:/@?]*):.*@", re.DOTALL)
_PASSWORD_OPTION = re.compile(r"(?P<name>\w*password\s*=\s*)(?:'[^']*'|[^&\s]*)", re.IGNORECASE)


class DatabaseUrlError(ValueError):
    """The setting names no database; the text shows its value without the password."""


@dataclass(frozen=True)
class PostgresUrl:
    """A Postgres database."""

    url: str

    def __repr__(self) -> str:
        return hide_password(self.url)


@dataclass(frozen=True)
class SqliteUrl:
    """A SQLite database file."""

    path: Path

    def __repr__(self) -> str:
        return f"sqlite:///{self.path}"


def parse_database_url(url: str) -> PostgresUrl | SqliteUrl:
    """Read a database URL: `postgresql://...`, or `sqlite:///relative` or `sqlite:////absolute`.

    Raises `DatabaseUrlError` for any other.
    """
    scheme = url.partition(":")[0].lower()
    match scheme:
        case "postgresql" | "postgres":
            return _postgres(url)
        case "sqlite":
            return _sqlite(url)
        case _:
            raise _refusal(url, "start it with postgresql:// or sqlite:///")


def hide_password(text: str) -> str:
    """Return a URL or connection string with every password in it replaced."""
    return _PASSWORD_OPTION.sub(r"\g<name>***", _USER_PART.sub(r"\g<user>:***@", text))


def _postgres(url: str) -> PostgresUrl:
    advice = "escape what is special in user and password (/ is %2F, @ is %40)"
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # libpq quotes what it stumbled over, and that may be a piece of the password.
        raise _refusal(url, advice) from None
    ports = str(parts.get("port") or "").replace(",", "")
    if "@" in str(parts.get("dbname")) or not (ports.isdigit() or ports == ""):
        raise _refusal(url, advice)  # a piece of the password taken for port and database
    return PostgresUrl(url)


def _sqlite(url: str) -> SqliteUrl:
    parts = urlsplit(url)
    path = unquote(parts.path).removeprefix("/")
    if parts.netloc or not path or path == ":memory:" or parts.query:
        raise _refusal(
            url, "a SQLite database is a file: sqlite:///relative or sqlite:////absolute"
        )
    return SqliteUrl(Path(path))


def _refusal(url: str, advice: str) -> DatabaseUrlError:
    return DatabaseUrlError(f"{_SETTING}={hide_password(url)!r} names no usable database: {advice}")
