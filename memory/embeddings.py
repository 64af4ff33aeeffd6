"""Turning text into vectors, behind LangChain's `Embeddings`: offline, or by a server."""

import asyncio
import logging
import math
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openai
from langchain_core.embeddings import Embeddings
from langchain_openai import OpenAIEmbeddings
from pydantic import SecretStr

OFFLINE = "wordllama-256"
"""Name of the embedder whose weights are in a wheel."""

Vector = list[float]

_MOST_CHARS = 6000
"""Of one text. Servers refuse what is past their model's context, 8,191 tokens at OpenAI."""
_MOST_TOKENS = 2048
"""Of one text that is embedded offline: the memory of a batch is this times its size."""
_BATCH = 16
_SIZE = 256
_PROBE = "hello"
_FAULTS = (
    openai.OpenAIError,
    ValueError,  # not JSON
    TypeError,  # no list, no numbers
    AttributeError,  # no object at all
    KeyError,  # no vectors in it
)
"""What langchain-openai raises for an answer that is late, broken or none."""
_REFUSALS = frozenset({400, 413, 422})


class EmbeddingError(RuntimeError):
    """No vectors came back. The text names the model and the cause."""

    def __init__(self, text: str, *, refused: bool = False) -> None:
        super().__init__(text)
        self.refused = refused
        """Whether the server read the texts and would not have them, so that a part might pass."""


@dataclass(frozen=True, kw_only=True)
class Embedder:
    """A model that makes vectors; those of two names cannot be compared."""

    name: str
    model: Embeddings
    server: str = ""
    """Where it is, as an error says it; empty for one in this process."""
    closing: Callable[[], Awaitable[None]] | None = None

    async def documents(self, texts: Sequence[str]) -> list[Vector]:
        """A vector of length 1 for each text; of zeros where a text says nothing to the model.

        Raises EmbeddingError.
        """
        try:
            vectors = await self.model.aembed_documents([text[:_MOST_CHARS] for text in texts])
        except _FAULTS as error:
            raise self._failed(error) from error
        if len(vectors) != len(texts):
            raise EmbeddingError(f"{self._named} gave {len(vectors)} vectors for {len(texts)}")
        return [_unit(vector) for vector in vectors]

    async def query(self, text: str) -> Vector:
        """The vector of what is searched for. Raises EmbeddingError."""
        return (await self.documents([text]))[0]

    async def each(self, texts: Sequence[str]) -> list[Vector | None]:
        """As `documents`; None for a text that the server refuses while it takes others.

        Raises EmbeddingError when it takes none.
        """
        try:
            return list(await self.documents(texts))
        except EmbeddingError as error:
            if not error.refused:
                raise
            if len(texts) == 1:
                await self.documents([_PROBE])
                return [None]
        half = len(texts) // 2
        return [*await self.each(texts[:half]), *await self.each(texts[half:])]

    async def close(self) -> None:
        """Closes the connections to the server, if there is one."""
        if self.closing is not None:
            await self.closing()

    @property
    def _named(self) -> str:
        return f"embedding model {self.name!r}" + (f" at {self.server}" if self.server else "")

    def _failed(self, error: Exception) -> EmbeddingError:
        if isinstance(error, openai.APIStatusError):
            status = error.status_code
            said = f"was refused with status {status}"
            return EmbeddingError(f"{self._named} {said}", refused=status in _REFUSALS)
        return EmbeddingError(f"{self._named} failed: {type(error).__name__}")


def offline() -> Embedder:
    """WordLlama, from its wheel alone; loaded at its first use, in a thread."""
    return Embedder(name=OFFLINE, model=WordLlamaEmbeddings())


def compatible(
    model: str,
    *,
    base_url: str,
    shown: str,
    key: SecretStr | None,
    seconds: float,
    retries: int,
) -> Embedder:
    """Model `model` of the OpenAI-compatible server at `base_url`, which errors call `shown`.

    Text is sent as text: tokens of OpenAI's mean nothing to other servers. Each request may take
    `seconds`, and is sent `retries` times more.
    """
    client = openai.DefaultAsyncHttpxClient()
    made = OpenAIEmbeddings(
        model=model,
        openai_api_base=base_url,
        openai_api_key=key or SecretStr("none"),
        check_embedding_ctx_length=False,
        request_timeout=seconds,
        max_retries=retries,
        http_async_client=client,
    )
    return Embedder(name=model, model=made, server=shown, closing=client.aclose)


class WordLlamaEmbeddings(Embeddings):
    """WordLlama in its 256 dimensions. Raises EmbeddingError when it is not installed."""

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._loaded: Any = None

    def embed_documents(self, texts: list[str]) -> list[Vector]:
        """Vectors of any length; of zeros for a text without tokens."""
        model = self._model()
        # A text without a token would be divided by zero.
        said = [text for text in texts if text.strip()]
        made = iter(model.embed(said, batch_size=_BATCH).tolist() if said else ())
        return [next(made) if text.strip() else [0.0] * _SIZE for text in texts]

    def embed_query(self, text: str) -> Vector:
        """The same as for a document."""
        return self.embed_documents([text])[0]

    async def aembed_documents(self, texts: list[str]) -> list[Vector]:
        """In a thread: it is work for the processor."""
        return await asyncio.to_thread(self.embed_documents, texts)

    def _model(self) -> Any:
        with self._loading:
            if self._loaded is None:
                self._loaded = _load()
                self._loaded.tokenizer.enable_truncation(_MOST_TOKENS)
            return self._loaded


def _load() -> Any:
    # Its import sets up the logging of the whole program, unless somebody has.
    held, root = logging.NullHandler(), logging.getLogger()
    root.addHandler(held)
    try:
        import wordllama  # type: ignore[import-untyped]  # noqa: PLC0415
    except ImportError as error:
        raise EmbeddingError(
            "there are no offline embeddings here: install longhaul[offline], or name a model of "
            "an OpenAI-compatible server in LONGHAUL_EMBEDDING_MODEL"
        ) from error
    finally:
        root.removeHandler(held)
    folder = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)


def _unit(vector: Sequence[float]) -> Vector:
    length = math.sqrt(sum(x * x for x in vector))
    if not length or not math.isfinite(length):
        return [0.0] * len(vector)
    return [x / length for x in vector]
