"""The picture is one well-formed drawing, for light and dark pages."""

from xml.etree.ElementTree import Element, fromstring

from evals.bench.picture import Series, draw

NS = "{http://www.w3.org/2000/svg}"
OURS = Series(title="ours & yours", tokens=[1000, 2000, 1500])
GROWING = Series(title="all", tokens=[1000, 50_000, 99_000])
BOUNDED = Series(title="trimmed", tokens=[1000, 4500, 4500])


def _lines(picture: Element) -> list[Element]:
    return picture.findall(f"{NS}polyline")


def test_what_grows_is_drawn_above_only() -> None:
    drawn = _lines(fromstring(draw(OURS, [GROWING, BOUNDED])))  # noqa: S314

    assert [line.get("class", "").split()[1] for line in drawn] == ["c2", "c1", "c0", "c2", "c0"]
    assert all(len((line.get("points") or "").split()) == 3 for line in drawn)


def test_more_tokens_are_drawn_higher() -> None:
    *_, ours = _lines(fromstring(draw(OURS, [GROWING])))  # noqa: S314
    heights = [float(point.split(",")[1]) for point in (ours.get("points") or "").split()]

    assert heights[1] < heights[2] < heights[0]


def test_it_names_every_series_and_has_a_dark_side() -> None:
    text = draw(OURS, [GROWING])

    assert "ours &amp; yours" in text
    assert ">all</text>" in text
    assert "prefers-color-scheme: dark" in text
