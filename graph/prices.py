"""What tokens cost, from a settings file of the owner's."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from graph.environment import SettingsError
from state.usage import ModelUsage

_PER = 1_000_000


class Price(BaseModel):
    """Prices of one model, each for a million tokens."""

    model_config = ConfigDict(extra="forbid", strict=False)

    input: float = Field(ge=0, allow_inf_nan=False)
    cached: float = Field(-1, ge=0, allow_inf_nan=False)
    """Input that the provider reads from its cache; unset: as any other."""
    output: float = Field(ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _cached_as_input(self) -> "Price":
        if "cached" not in self.model_fields_set:
            self.cached = self.input
        return self

    def of(self, usage: ModelUsage) -> float:
        """What `usage` of the model cost."""
        fresh = usage["input_tokens"] - usage["cached_tokens"]
        return (
            fresh * self.input
            + usage["cached_tokens"] * self.cached
            + usage["output_tokens"] * self.output
        ) / _PER


class Prices(BaseModel):
    """The prices file: a currency, and a table for each model."""

    model_config = ConfigDict(extra="forbid")

    currency: str = Field(min_length=1, max_length=8)
    models: dict[str, Price] = Field(min_length=1)

    def cost(self, usage: Mapping[str, ModelUsage]) -> float | None:
        """What `usage` by model cost; None when a model of it has no price."""
        if self.missing(usage):
            return None
        return sum((self.models[name].of(used) for name, used in usage.items()), 0.0)

    def missing(self, usage: Mapping[str, ModelUsage]) -> list[str]:
        """The models of `usage` that have no price, sorted."""
        return sorted(usage.keys() - self.models.keys())


def read_prices(path: Path) -> Prices:
    """The prices in the TOML file at `path`. Raises SettingsError, naming file and fault."""
    try:
        with path.open("rb") as file:
            return Prices.model_validate(tomllib.load(file))
    except OSError as error:
        raise _bad(path, error.strerror or str(error)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _bad(path, f"that is no TOML: {error}") from None
    except ValidationError as error:
        told = (f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise _bad(path, "; ".join(told)) from None


def _bad(path: Path, cause: str) -> SettingsError:
    return SettingsError(f"LONGHAUL_PRICES = '{path}': {cause}")
