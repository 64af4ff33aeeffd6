"""The prices file: what it costs by it, and what is wrong with it."""

from pathlib import Path

import pytest

from graph.environment import SettingsError
from graph.prices import read_prices
from state.usage import ModelUsage
from tests.project import ROOT

USED = ModelUsage(requests=3, input_tokens=1000, cached_tokens=600, output_tokens=50)
GOOD = 'currency = "USD"\n[models.m]\ninput = 2.0\noutput = 10\n'


def write(folder: Path, text: str) -> Path:
    file = folder / "prices.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_what_is_cached_costs_what_input_costs_unless_it_is_told(tmp_path: Path) -> None:
    prices = read_prices(write(tmp_path, GOOD))
    assert prices.cost({"m": USED}) == pytest.approx((1000 * 2 + 50 * 10) / 1e6)

    prices = read_prices(write(tmp_path, f"{GOOD}cached = 0.2\n"))
    assert prices.cost({"m": USED}) == pytest.approx((400 * 2 + 600 * 0.2 + 50 * 10) / 1e6)


def test_a_model_without_a_price_costs_nobody_knows_what(tmp_path: Path) -> None:
    prices = read_prices(write(tmp_path, GOOD))

    assert prices.cost({"m": USED, "other": USED}) is None
    assert prices.missing({"m": USED, "other": USED}) == ["other"]
    assert prices.cost({}) == 0


def test_the_sample_that_ships_can_be_read() -> None:
    prices = read_prices(ROOT / "graph" / "sample" / "prices.toml")

    assert prices.cost({"stand-in": USED}) == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("currency = ", "that is no TOML"),
        ("", "currency: Field required; models: Field required"),
        (GOOD.replace("2.0", "-1"), "models.m.input: Input should be greater than or equal to 0"),
        (GOOD.replace("2.0", '"much"'), "models.m.input: Input should be a valid number"),
        (GOOD.replace("2.0", "nan"), "models.m.input: Input should be a finite number"),
        (GOOD.replace("output", "outptu"), "models.m.output: Field required"),
        ('currency = "USD"\n[models]\n', "models: Dictionary should have at least 1 item"),
    ],
)
def test_a_bad_file_is_told_by_its_name_and_its_fault(text: str, told: str, tmp_path: Path) -> None:
    file = write(tmp_path, text)

    with pytest.raises(SettingsError) as failed:
        read_prices(file)

    assert f"LONGHAUL_PRICES = '{file}'" in str(failed.value)
    assert told in str(failed.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="No such file"):
        read_prices(tmp_path / "none.toml")
