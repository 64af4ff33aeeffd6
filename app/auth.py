"""Who signs in to LangGraph Server, and what is theirs: `langgraph.json` names `auth`."""

from typing import Any

from langgraph_sdk import Auth
from langgraph_sdk.auth.types import AuthContext, FilterType

from app.gate import is_page, stranger
from graph.environment import settings
from graph.ownership import may_use
from graph.resources import database_source
from graph.shared_database import shared_database
from graph.tokens import TokenRefused, served_verifier

auth = Auth()

OWNER = "owner"
"""Key of the server's metadata of threads, runs and crons: the user whose they are."""

_NOBODY = {"identity": "", "is_authenticated": False, "permissions": []}
_BEARER = "bearer "


@auth.authenticate
async def authenticate(scope: dict[str, Any]) -> dict[str, Any]:
    """The user of a request; nobody on a server without sign-in, and for the page's own files."""
    if is_page(scope):
        return _NOBODY
    if (checks := served_verifier()) is None:
        if reason := stranger(scope):
            raise Auth.exceptions.HTTPException(status_code=403, detail=reason)
        return _NOBODY
    given = [value for name, value in scope["headers"] if name.lower() == b"authorization"]
    token = given[0].decode("latin-1") if len(given) == 1 else ""
    if not token.lower().startswith(_BEARER):
        raise Auth.exceptions.HTTPException(status_code=401, detail="a bearer token is missing")
    try:
        user = checks.user(token[len(_BEARER) :].strip())
    except TokenRefused as error:
        raise Auth.exceptions.HTTPException(status_code=401, detail=str(error)) from None
    return {"identity": user, "is_authenticated": True, "permissions": []}


@auth.on
async def deny(ctx: AuthContext, value: Any) -> bool:  # noqa: ARG001 - named so by LangGraph
    """Whatever no other handler allows: the store, and writing assistants."""
    return not settings().signs_in


@auth.on(resources="assistants", actions=["read", "search"])
async def read_assistants(ctx: AuthContext, value: Any) -> bool:  # noqa: ARG001
    """Assistants are the host's, for everybody to use."""
    return True


@auth.on(resources=["threads", "crons"], actions=["read", "search"])
@auth.on(resources="crons", actions="delete")
async def own(ctx: AuthContext, value: Any) -> FilterType | None:  # noqa: ARG001
    """Only one's own."""
    return {OWNER: _user(ctx)} if settings().signs_in else None


@auth.on(resources="threads", actions=["create", "create_run"])
async def begin(ctx: AuthContext, value: Any) -> FilterType | None:
    """A thread or a run that becomes one's own; not in the place of somebody else's thread."""
    if not settings().signs_in:
        return None
    user = _user(ctx)
    if thread := value.get("thread_id"):
        await _free_or_own(str(thread), user)
    _mark(value, user)
    return {OWNER: user}


@auth.on(resources="threads", actions="update")
async def change(ctx: AuthContext, value: Any) -> FilterType | bool | None:
    """To stop a run is all that may be done to a thread: its state is not written from outside."""
    if not settings().signs_in:
        return None
    return {OWNER: _user(ctx)} if value.get("action") else False


@auth.on(resources="crons", actions=["create", "update"])
async def schedule(ctx: AuthContext, value: Any) -> FilterType | None:
    """Runs to come are their creator's, as those that come now."""
    if not settings().signs_in:
        return None
    user = _user(ctx)
    _mark(value, user)
    if isinstance(payload := value.get("payload"), dict):
        configurable = payload.setdefault("config", {}).setdefault("configurable", {})
        configurable["langgraph_auth_user"] = {"identity": user}
    return {OWNER: user}


def _user(ctx: AuthContext) -> str:
    """Who asks. Raises HTTPException for nobody: the page's files are all that nobody may have."""
    if not (user := ctx.user.identity):
        raise Auth.exceptions.HTTPException(status_code=401, detail="nobody is signed in")
    return user


def _mark(value: Any, user: str) -> None:
    """Writes whose it is, over whatever the client wrote there."""
    metadata = value.get("metadata")
    if metadata is None:
        metadata = value["metadata"] = {}
    metadata[OWNER] = user


async def _free_or_own(thread: str, user: str) -> None:
    """Raises HTTPException for a thread of another, even where the server lost its record of it."""
    async with shared_database(database_source(settings())) as database:
        if not await may_use(database, thread, user):
            raise Auth.exceptions.HTTPException(status_code=404, detail="there is no such thread")
