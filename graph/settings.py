"""Every setting, with its default and its meaning; `graph/environment.py` reads them."""

from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from prompts.files import personas
from state.admission import Limits
from state.marks import Marks, checked, parse_mark
from state.refers_back import When

STAND_IN = "stand-in"
"""Name of the rule-based model that answers when no key is set."""

PREFIX = "LONGHAUL_"
ENV_FILE = ".env"


class Settings(BaseSettings):
    """Read from `LONGHAUL_*` (and OpenAI's own two names); an empty value means the default."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_file=ENV_FILE, env_ignore_empty=True, extra="ignore"
    )

    openai_api_key: SecretStr | None = Field(
        None,
        validation_alias="OPENAI_API_KEY",
        description="Key of the model server. With neither key nor base URL the stand-in answers.",
    )
    openai_base_url: str | None = Field(
        None,
        validation_alias="OPENAI_BASE_URL",
        description="Any OpenAI-compatible server, such as http://127.0.0.1:8090/v1.",
    )
    model: str = Field("gpt-4.1-mini", description="Model that writes the replies.")
    models: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Further models that a run may name in its Context, comma-separated."
    )
    fallback_model: str | None = Field(
        None, description="Model that is asked when the first one fails before its first word."
    )
    extract_model: str | None = Field(None, description="Model that extracts facts; unset: MODEL.")
    summarise_model: str | None = Field(
        None, description="Model that writes summaries; unset: MODEL."
    )
    request_timeout: float = Field(
        60.0, gt=0, description="Seconds without a byte after which a model request has failed."
    )
    turn_timeout: float = Field(
        300.0, gt=0, description="Seconds that one model may take over one reply, retries included."
    )
    retries: int = Field(
        2, ge=0, le=10, description="How often a failed model request is sent again, with back-off."
    )
    reply_tokens: int = Field(1000, ge=1, description="Longest reply, in tokens.")
    reasoning_effort: str | None = Field(
        None,
        description="How long a reasoning model thinks, such as minimal or low; unset: not sent. "
        "Its thoughts count within REPLY_TOKENS.",
    )
    tool_rounds: int = Field(
        5, ge=0, le=50, description="How many rounds of tool calls one reply may take."
    )
    tool_timeout: float = Field(
        60.0, gt=0, description="Seconds that one tool call may take; then the model is told so."
    )
    high_mark: str = Field(
        "6000",
        description="Size of the window above which it is folded: tokens, 5% of MODEL_WINDOW, "
        "or 16 turns.",
    )
    low_mark: str = Field("3000", description="Size to which it is folded, in the same unit.")
    hard_limit: str = Field(
        "12000", description="Most tokens of a whole request, reply included; or a share."
    )
    model_window: int = Field(
        128_000, ge=1000, description="Tokens that the model can read: what a share is of."
    )
    summary_tokens: int = Field(800, ge=50, description="Longest summary, in tokens.")
    recall: When = Field(
        "auto",
        description="When old turns are searched: auto (the message refers back), always, never.",
    )
    recall_tokens: int = Field(
        1000, ge=100, description="Most tokens of recalled passages in a request."
    )
    recall_elsewhere: bool = Field(
        False, description="Whether the same user's other conversations are searched, too."
    )
    facts_tokens: int = Field(600, ge=50, description="Most tokens of facts in a request.")
    pins_tokens: int = Field(
        300, ge=0, description="Most tokens of what an audit found missing in the summary."
    )
    extract_every: int = Field(
        1, ge=1, description="Turns after which facts are extracted; more is cheaper, and later."
    )
    extract_deadline: float = Field(
        15.0, gt=0, description="Seconds that a turn gives to extraction; then it is done later."
    )
    extract_tokens: int = Field(
        3000, ge=200, description="Most tokens of words in one request to the extractor."
    )
    summariser_tokens: int = Field(
        6000, ge=200, description="Most tokens of turns in one request to the summariser."
    )
    compaction_wait: float = Field(
        20.0, ge=0, description="Seconds that a turn waits for a summary when the window is full."
    )
    keep_turns: int = Field(
        0,
        ge=0,
        description="Turns of checkpoints that a thread keeps for forks before it is pruned to the "
        "latest; 0: all.",
    )
    idle_days: int = Field(
        0, ge=0, description="Days without a turn after which `make retention` erases; 0: never."
    )
    isolated_loops: bool = Field(
        False,
        validation_alias="BG_JOB_ISOLATED_LOOPS",
        description="LangGraph Server's own; must stay off: a summary outlives its run's loop.",
    )
    judge_corrections: bool = Field(
        False,
        description="Whether the extract model is asked, each turn, if the user corrects the bot; "
        "by rule it is counted anyway.",
    )
    prices: Path | None = Field(
        None,
        description="TOML file of what models cost, for `make stats`; graph/sample/prices.toml is "
        "an example.",
    )
    persona: str = Field("support", description="Persona of runs that name none.")
    time_zone: str = Field("UTC", description="Time zone of runs that name none.")
    max_message_chars: int = Field(
        200_000, ge=1, description="Longest message, in characters; a longer one is refused."
    )
    max_messages: int = Field(20, ge=1, description="Most messages in one input.")
    max_image_bytes: int = Field(5_000_000, ge=1, description="Largest image sent as data.")
    max_images: int = Field(4, ge=0, description="Most images in one message.")
    database: str | None = Field(
        None,
        description="postgresql://... or sqlite:///path. Unset: an embedded Postgres in DATA.",
    )
    pool_size: int = Field(5, ge=1, description="Database connections of one process, at most.")
    transaction_pooler: bool = Field(
        False,
        description="True behind a pooler in transaction mode: no prepared statements.",
    )
    data: Path = Field(
        Path(".longhaul"), description="Folder of the local services: database, vectors, logs."
    )
    container: bool = Field(
        False,
        description="Whether this is a container image (langgraph.json sets it in the image it "
        "builds): DATABASE must be set there.",
    )
    chroma_url: str | None = Field(
        None,
        description="A Chroma server. Unset: a local one, its data in DATA; in a container image "
        "none, and old turns are not searched for.",
    )
    chroma_token: SecretStr | None = Field(
        None, description="Token of the Chroma server, sent as X-Chroma-Token."
    )
    chroma_tenant: str = Field("default_tenant", description="Tenant in the Chroma server.")
    chroma_database: str = Field("default_database", description="Database of that tenant.")
    chroma_timeout: float = Field(
        3.0, gt=0, description="Seconds that a turn gives to a search of vectors."
    )
    embedding_model: str = Field(
        "wordllama-256",
        description="Model that makes vectors: wordllama-256 works offline; any other name is a "
        "model of an OpenAI-compatible server. After a change, run `longhaul reindex`.",
    )
    embedding_base_url: str | None = Field(
        None, description="Server of the embedding model; unset: OPENAI_BASE_URL."
    )
    embedding_api_key: SecretStr | None = Field(
        None, description="Key of the embedding model's server; unset: OPENAI_API_KEY."
    )
    embedding_timeout: float = Field(
        20.0, gt=0, description="Seconds after which a request for vectors has failed."
    )

    auth_secret: SecretStr | None = Field(
        None,
        description="Secret that signs the tokens of your users (HS256), 32 bytes at least; "
        "`longhaul token USER` signs one for development.",
    )
    auth_public_key: str | None = Field(
        None,
        description="Instead of AUTH_SECRET: the public key that their tokens are checked with, as "
        "PEM or a file of it.",
    )
    auth_audience: str | None = Field(
        None, description="Audience (`aud`) that a token must be meant for."
    )
    auth_issuer: str | None = Field(None, description="Issuer (`iss`) that a token must be of.")
    token: SecretStr | None = Field(
        None, description="Token that `longhaul chat --server` and its like sign in with."
    )

    @field_validator("models", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(name.strip() for name in value.split(",") if name.strip())
        return value

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (OSError, ValueError, KeyError):
            raise ValueError("that is not a time zone such as Europe/Berlin") from None
        return value

    @field_validator("auth_secret")
    @classmethod
    def _long_enough(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and (size := len(value.get_secret_value().encode())) < 32:
            raise ValueError(f"{size} bytes are too few: 32 at least")
        return value

    @field_validator("persona")
    @classmethod
    def _known_persona(cls, value: str) -> str:
        if value not in personas():
            raise ValueError(f"that is not one of {', '.join(personas())}")
        return value

    @field_validator("openai_base_url", "chroma_url", "embedding_base_url")
    @classmethod
    def _is_url(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("http://", "https://")):
            raise ValueError("that does not begin with http:// or https://")
        return value

    @model_validator(mode="after")
    def _agree(self) -> "Settings":
        if self.turn_timeout < self.request_timeout:
            raise ValueError(
                f"LONGHAUL_TURN_TIMEOUT ({self.turn_timeout:g}) is shorter than "
                f"LONGHAUL_REQUEST_TIMEOUT ({self.request_timeout:g})"
            )
        if self.isolated_loops:
            raise ValueError(
                "BG_JOB_ISOLATED_LOOPS = True: summaries are written behind the replies, on the "
                "server's own event loop; with isolated loops they would die with each run"
            )
        if self.keep_turns and (self.database or "").startswith("sqlite"):
            raise ValueError(
                f"LONGHAUL_KEEP_TURNS ({self.keep_turns}) is not supported on SQLite; "
                "use a Postgres"
            )
        if self.auth_secret and self.auth_public_key:
            raise ValueError("LONGHAUL_AUTH_SECRET and LONGHAUL_AUTH_PUBLIC_KEY: set one of them")
        if not self.signs_in and (self.auth_audience or self.auth_issuer):
            raise ValueError(
                "LONGHAUL_AUTH_AUDIENCE and LONGHAUL_AUTH_ISSUER do nothing without "
                "LONGHAUL_AUTH_SECRET or LONGHAUL_AUTH_PUBLIC_KEY"
            )
        if self.marks.hard < self.reply_tokens * 2:
            raise ValueError(
                f"LONGHAUL_HARD_LIMIT ({self.marks.hard}) leaves no room beside "
                f"LONGHAUL_REPLY_TOKENS ({self.reply_tokens})"
            )
        return self

    @property
    def marks(self) -> Marks:
        """When the window is folded, and how far."""
        sizes = {}
        for name in ("high_mark", "low_mark", "hard_limit"):
            try:
                sizes[name] = parse_mark(getattr(self, name), self.model_window)
            except ValueError as error:
                raise ValueError(f"LONGHAUL_{name.upper()}: {error}") from None
        try:
            return checked(sizes["high_mark"], sizes["low_mark"], sizes["hard_limit"])
        except ValueError as error:
            raise ValueError(f"LONGHAUL_HIGH_MARK, LOW_MARK, HARD_LIMIT: {error}") from None

    @property
    def stand_in(self) -> bool:
        """Whether the rule-based stand-in answers, for want of a key and of a server."""
        return self.openai_api_key is None and self.openai_base_url is None

    @property
    def signs_in(self) -> bool:
        """Whether the users of the server sign in."""
        return self.auth_secret is not None or self.auth_public_key is not None

    @property
    def default_model(self) -> str:
        """The model that writes a turn which names none."""
        return STAND_IN if self.stand_in else self.model

    @property
    def choices(self) -> tuple[str, ...]:
        """The models that a run may name, the default first."""
        return tuple(dict.fromkeys((self.default_model, *self.models)))

    @property
    def limits(self) -> Limits:
        """What one input may hold."""
        return Limits(
            message_chars=self.max_message_chars,
            messages=self.max_messages,
            image_bytes=self.max_image_bytes,
            images=self.max_images,
        )
