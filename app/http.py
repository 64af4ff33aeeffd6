"""What `langgraph.json` mounts beside LangGraph Server's own routes."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from app.api.forgetting import FORGETTING, take_up
from app.api.memory import OPERATIONS
from app.api.models import Export
from app.api.openapi import document, schema_of
from app.gate import OPEN, Gate
from app.page_files import ROUTES
from graph.environment import settings
from graph.resources import database_source, opened_in_server
from graph.shared_database import shared_database
from graph.tokens import served_verifier

log = logging.getLogger(__name__)

ALL = OPERATIONS + FORGETTING


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """The server's own database, for as long as it runs."""
    # A key that cannot be used is told at the start; and its file is read, which takes its time.
    if await asyncio.to_thread(served_verifier) is None:
        log.warning("SIGN-IN IS OFF: who is on this machine reads every conversation; %s", OPEN)
    async with shared_database(database_source(settings())) as database:
        opened = app.state.opened = opened_in_server(database)
        opened.parts.background.start(take_up(opened))
        yield


async def openapi(_: Request) -> JSONResponse:
    """The OpenAPI document of the routes under `/memory`."""
    return JSONResponse(document(ALL))


async def export_schema(_: Request) -> JSONResponse:
    """The JSON schema of what `/memory/export` gives."""
    return JSONResponse(schema_of(Export))


app = Starlette(
    routes=[
        Route("/memory/openapi.json", openapi, methods=["GET"]),
        Route("/memory/export/schema.json", export_schema, methods=["GET"]),
        *(operation.route for operation in ALL),
        *ROUTES,
    ],
    middleware=[Middleware(Gate)],
    lifespan=lifespan,
)
