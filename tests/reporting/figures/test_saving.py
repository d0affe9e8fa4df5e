"""Figures become files without a browser and without a network."""

import importlib
import importlib.util
import json
import re
import struct
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.reporting.figures.drawing import SCALE, figure_json, figure_page, save, to_png, to_svg
from treegauge.reporting.figures.theme import PALETTE, SEQUENCE, ink, themed

vl_convert = importlib.import_module("vl_convert") if importlib.util.find_spec("vl_convert") else None
drawing = pytest.mark.skipif(vl_convert is None, reason="vl-convert is not installed")


@pytest.fixture
def spec():
    bars = [{"name": "<script>alert(1)</script> & co", "value": 3}, {"name": "b", "value": 5}]
    return themed(
        {
            "data": {"values": bars},
            "mark": "bar",
            "width": 100,
            "height": 80,
            "encoding": {"x": {"field": "name", "type": "nominal"}, "y": {"field": "value", "type": "quantitative"}},
        },
        "Bars <b>",
        "treegauge:1",
        False,
    )


@drawing
def test_an_svg_holds_the_texts_and_is_the_same_every_time(spec, tmp_path):
    save(spec, tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text()
    assert text == to_svg(spec)
    root = ET.fromstring(text)
    words = "".join(root.itertext())
    assert "Bars <b>" in words
    assert "<script>" in words
    assert not root.findall(".//{http://www.w3.org/2000/svg}script")


@drawing
def test_a_png_has_three_pixels_a_unit(spec, tmp_path):
    save(spec, tmp_path / "a.png")
    data = (tmp_path / "a.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    drawn = ET.fromstring(to_svg(spec))
    assert width == pytest.approx(float(drawn.get("width")) * SCALE, abs=3)
    assert height == pytest.approx(float(drawn.get("height")) * SCALE, abs=3)
    assert to_png(spec) == data


@drawing
def test_a_pdf_has_its_fonts_inside(spec, tmp_path):
    save(spec, tmp_path / "a.pdf")
    data = (tmp_path / "a.pdf").read_bytes()
    assert data.startswith(b"%PDF")
    assert b"/FontFile" in data


@drawing
def test_a_page_loads_nothing(spec):
    text = figure_page(spec)
    assert "<title>Bars &lt;b&gt;</title>" in text
    assert "<script" not in text
    assert not re.search(r"(?:src|href)=", text.replace("xlink:href=", "").replace("xmlns", ""))


@drawing
def test_data_from_elsewhere_are_never_fetched(spec):
    spec["data"] = {"url": "https://example.org/data.json"}
    with pytest.raises(ValueError, match="not allowed"):
        to_svg(spec)


def test_json_is_the_dictionary(spec, tmp_path):
    save(spec, tmp_path / "a.vl.json")
    assert json.loads((tmp_path / "a.vl.json").read_text()) == spec


def test_other_endings_are_refused(spec, tmp_path):
    with pytest.raises(ChoiceError, match=r"a\.gif.*\*\.svg"):
        save(spec, tmp_path / "a.gif")
    assert not list(tmp_path.iterdir())


def test_without_the_drawing_package_the_way_to_get_it_is_told(spec, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(TreegaugeError, match=r"treegauge\[plot\]"):
        save(spec, tmp_path / "a.svg")
    assert not list(tmp_path.iterdir())


def test_numbers_that_are_none_are_refused():
    with pytest.raises(TreegaugeError, match="cannot draw"):
        to_svg({"data": {"values": [{"x": float("nan")}]}})
    with pytest.raises(ValueError, match="JSON"):
        figure_json({"x": float("inf")})


def contrast(one, other):
    """Return the contrast of two colours as WCAG defines it: 1 for equal ones, at most 21."""
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour):
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_contrast_is_that_of_the_guidelines():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("dark", [False, True])
def test_text_and_lines_can_be_read_on_their_background(dark):
    config = themed({}, "", "", dark)
    paper = config["background"]
    assert contrast(ink(dark), paper) > 12
    assert contrast(config["config"]["axis"]["labelColor"], paper) > 4.5
    assert contrast(config["config"]["title"]["subtitleColor"], paper) > 4.5
    for colour in PALETTE[:6]:
        assert contrast(colour, paper) > 1.9


def _greys(colours):
    """Lightness as a monochrome printer gives it."""
    return [0.2126 * int(c[1:3], 16) + 0.7152 * int(c[3:5], 16) + 0.0722 * int(c[5:7], 16) for c in colours]


def test_a_scale_of_colours_is_a_scale_of_greys_in_print():
    greys = _greys(SEQUENCE)
    assert greys == sorted(greys, reverse=True)
    assert min(a - b for a, b in pairwise(greys)) > 15
