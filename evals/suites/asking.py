"""The models that the settings name, for as long as a suite asks them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from graph.models import Models
from graph.resources import ModelServer
from graph.settings import Settings


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Models]:
    """The product's own models. Raises ServiceError when the stand-in does not come up."""
    server = ModelServer(lambda: settings)
    models = Models(settings=lambda: settings, endpoint=server.url)
    try:
        yield models
    finally:
        await models.close()
        await server.close()
