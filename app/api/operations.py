"""An operation of the API: one description, of which the route and its documentation are made."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.api.models import Failure, UserName
from graph.correcting import ValueRefused
from graph.forgetting import FactUnknownError
from graph.resources import Opened
from graph.storage.retry import DatabaseUnavailableError
from state.errors import InputRefused
from state.text import clean_json

MOST_BYTES = 64 * 1024
"""Longest body of a request."""


class Refused(Exception):
    """A request that is not done: its status, why, and the part of it that is at fault."""

    def __init__(self, status: int, error: str, field: str = "") -> None:
        super().__init__(error)
        self.status = status
        self.field = field


@dataclass(frozen=True, kw_only=True)
class Query:
    """A parameter of the query string."""

    name: str
    type: Any
    """What pydantic makes of its text."""
    default: Any
    says: str


USER = Query(
    name="user",
    type=UserName,
    default="",
    says="Whose, on a server to which nobody signs in; else it is the signed-in user's.",
)


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request, with its parts checked."""

    opened: Opened
    signed_in: str
    """Who is signed in; empty on a server without sign-in."""
    path: Mapping[str, str]
    query: Mapping[str, Any]
    body: Any
    """What the operation `takes`."""


Handler = Callable[[Call], Awaitable[BaseModel]]


@dataclass(frozen=True, kw_only=True)
class Operation:
    """What may be asked for under `/memory`."""

    method: str
    path: str
    """With its parameters in braces."""
    does: Handler
    says: str
    gives: type[BaseModel]
    takes: type[BaseModel] | None = None
    queries: Sequence[Query] = field(default=())
    refuses: Sequence[int] = (400, 401, 403, 404)
    """The statuses of its failures."""

    @property
    def name(self) -> str:
        """What the documentation calls it by."""
        return self.does.__name__

    async def answer(self, request: Request) -> Response:
        """The response to `request`; a failure is JSON, too."""
        try:
            call = Call(
                opened=request.app.state.opened,
                signed_in=signed_in(request),
                path=request.path_params,
                query={query.name: _query(request, query) for query in self.queries},
                body=await _body(request, self.takes) if self.takes else None,
            )
            given = await self.does(call)
        except Refused as refused:
            return _failure(refused.status, str(refused), refused.field)
        except ValueRefused as error:
            return _failure(400, str(error), error.field)
        except InputRefused as error:
            return _failure(400, str(error))
        except FactUnknownError:
            return _failure(404, "no such fact stands here", "fact")
        except DatabaseUnavailableError:
            return _failure(503, "the database does not answer; try again later")
        return Response(given.model_dump_json(), media_type="application/json", headers=_PRIVATE)

    @property
    def route(self) -> Route:
        """The route to mount."""
        return Route(self.path, self.answer, methods=[self.method], name=self.name)


_PRIVATE = {"Cache-Control": "no-store"}


def _failure(status: int, error: str, field: str = "") -> JSONResponse:
    return JSONResponse(Failure(error=error, field=field).model_dump(), status)


def signed_in(request: Request) -> str:
    """The user whom the server's authentication found; empty when nobody signs in."""
    return str(request.user.identity) if "user" in request.scope else ""


def _query(request: Request, query: Query) -> Any:
    given = request.query_params.get(query.name)
    if given is None:
        return query.default
    try:
        return TypeAdapter(query.type).validate_python(given)
    except ValidationError as error:
        raise Refused(400, error.errors()[0]["msg"], query.name) from None


async def _body(request: Request, takes: type[BaseModel]) -> BaseModel:
    raw = b""
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > MOST_BYTES:
            raise Refused(413, f"the body is longer than {MOST_BYTES} bytes")
    try:
        return takes.model_validate(clean_json(json.loads(raw)))
    except ValidationError as error:
        first = error.errors()[0]
        raise Refused(400, first["msg"], ".".join(str(each) for each in first["loc"])) from None
    except (ValueError, RecursionError):
        raise Refused(400, "the body is not JSON") from None
