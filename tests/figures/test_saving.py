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

from treegauge.figures.saving import (
    SCALE,
    VERSION,
    ordered_pdf,
    save,
    to_html,
    to_json,
    to_pdf,
    to_png,
    to_svg,
)
from treegauge.figures.theme import PALETTE, SEQUENCE, contrast, ink, themed
from treegauge.results.errors import ChoiceError, TreegaugeError

vl_convert = (
    importlib.import_module("vl_convert") if importlib.util.find_spec("vl_convert") else None
)
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
            "encoding": {
                "x": {"field": "name", "type": "nominal"},
                "y": {"field": "value", "type": "quantitative"},
            },
        },
        title="Bars <b>",
        signature="treegauge:1",
        dark=False,
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
def test_a_pdf_is_the_same_bytes_every_time_and_still_whole(spec):
    drawn = vl_convert.vegalite_to_pdf(spec, VERSION)
    pdf = ordered_pdf(drawn)
    # Fonts are in a table without an order: three drawings agree by chance one time in sixteen.
    assert {to_pdf(spec) for _ in range(3)} == {pdf}
    assert sorted(streams(pdf)) == sorted(streams(drawn))
    place = int(re.search(rb"startxref\n(\d+)", pdf)[1])
    offsets = re.findall(rb"^(\d{10}) 00000 n \n", pdf[place:], re.MULTILINE)
    for number, offset in enumerate(offsets, start=1):
        assert pdf[int(offset) :].startswith(b"%d 0 obj\n" % number)
    named = {int(number) for number in re.findall(rb"\b(\d+) 0 R\b", pdf)}
    assert named == set(range(1, len(offsets) + 1))
    assert pdf[place:].startswith(b"xref\n0 %d\n" % (len(offsets) + 1))
    assert b"/Size %d\n" % (len(offsets) + 1) in pdf[place:]


def streams(pdf):
    return re.findall(rb"\nstream\n(.*?)\nendstream", pdf, re.DOTALL)


@drawing
def test_a_page_loads_nothing(spec):
    text = to_html(spec)
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
        to_json({"x": float("inf")})


@pytest.mark.parametrize("dark", [False, True])
def test_text_and_lines_can_be_read_on_their_paper(dark):
    config = themed({}, title="", signature="", dark=dark)
    paper = config["background"]
    assert contrast(ink(dark), paper) > 12
    assert contrast(config["config"]["axis"]["labelColor"], paper) > 4.5
    assert contrast(config["config"]["title"]["subtitleColor"], paper) > 4.5
    for colour in PALETTE[:6]:
        assert contrast(colour, paper) > 1.9


def _greys(colours):
    """Lightness as a monochrome printer gives it."""
    return [
        0.2126 * int(c[1:3], 16) + 0.7152 * int(c[3:5], 16) + 0.0722 * int(c[5:7], 16)
        for c in colours
    ]


def test_a_scale_of_colours_is_a_scale_of_greys_in_print():
    greys = _greys(SEQUENCE)
    assert greys == sorted(greys, reverse=True)
    assert min(a - b for a, b in pairwise(greys)) > 15
