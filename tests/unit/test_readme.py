"""The README shows the graph and the settings as they are."""

from graph.server import graph
from graph.settings import Settings
from tests.project import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_picture_is_drawn_from_the_graph() -> None:
    drawn = graph.get_graph().draw_mermaid().strip()

    assert f"```mermaid\n{drawn}\n```" in README


def test_the_table_names_every_setting_with_its_meaning() -> None:
    described = [info.description or "" for info in Settings.model_fields.values()]

    assert [text for text in described if f"| {text} |" not in README] == []
