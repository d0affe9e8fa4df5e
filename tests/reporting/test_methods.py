"""The commands on the demo's page run, and print the numbers that stand on the page."""

import base64
import contextlib
import html
import io
import json
import re
import shlex

import numpy as np
import pytest

from tests.commands import invoke
from tests.reporting.browsing import page_data


@pytest.fixture(scope="module")
def text(demo):
    return (demo / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def data(text):
    return page_data(text)


@pytest.fixture(scope="module")
def methods(text):
    """Commands and signatures by the name of what they are for."""
    section = text[text.index('id="methods-text"') :]
    found = {}
    for article in re.findall(r'<article class="method"[^>]*>(.*?)</article>', section, re.DOTALL):
        name = html.unescape(re.search(r"<h4>(.*?)</h4>", article)[1])
        told = re.findall(r"<dt>(Signature|Command)</dt><dd><code>(.*?)</code>", article, re.DOTALL)
        found[name] = {
            key: [line for one, value in told if one == key for line in html.unescape(value).split("\n")]
            for key, _ in told
        }
    return found


def run(command):
    """Run a command here and return what it prints."""
    name, *words = shlex.split(command)
    if name == "python":
        assert words[0] == "-c"
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(words[1], {})
        return said.getvalue()
    assert name == "treegauge"
    result = invoke(words)
    found = words[0] == "audit" and "card" not in words and "UD_Imaginary-VSO" in words
    assert result.exit_code == found, result.output
    return result.stdout


@pytest.fixture
def printed(methods, demo, monkeypatch):
    """Return what the commands of a method print, in the folder of the files."""
    monkeypatch.chdir(demo)
    monkeypatch.setenv("COLUMNS", "500")

    def of(name):
        (key,) = [one for one in methods if one.startswith(name)]
        said = [run(command) for command in methods[key]["Command"]]
        return said, methods[key]["Signature"]

    return of


def rows(said):
    """Return the cells of a printed table, by its first column."""
    found = {}
    for line in said.splitlines():
        cells = re.split(r"  +", line)
        found.setdefault(cells[0], cells)
    return found


def anonymous(text):
    """Leave treebanks their digests but not the names of files and parts."""
    return re.sub(r"tb:[^|#]*#", "tb:#", text)


def test_every_kind_of_number_has_a_command(methods):
    assert len(methods) == 31
    assert all(one.get("Command") and one.get("Signature") for one in methods.values())


def test_scores(printed, data):
    (one,) = data["scores"]["treebanks"]
    (said,), signatures = printed("F1 of the metrics")
    assert anonymous(signatures[0]) in anonymous(said)
    for metric in one["metrics"]:
        for system in metric["systems"]:
            assert f"{system['f1']:.2f}" in rows(said)[metric["name"]]
    (said,), signatures = printed("Paired tests")
    assert anonymous(signatures[0]) in anonymous(said)
    for test in one["tests"]:
        p = test["p_corrected"]
        shown = f"{p:.4f}" if p >= 1e-4 else "<0.0001"
        assert re.search(rf"{test['a']} +{test['b']}.*{shown}", said)


def test_heat_maps(printed, data):
    (one,) = data["scores"]["treebanks"]
    said, _ = printed("Heat maps")
    assert len(said) == len(one["breakdowns"])
    for printing, part in zip(said, one["breakdowns"], strict=True):
        values = re.findall(r"\d+\.\d\d", printing)
        for row in part["rows"]:
            for system in row["systems"]:
                assert f"{system['f1']:.2f}" in values, (part["by"], row["class"])


def test_confusions(printed, data):
    (one,) = data["scores"]["treebanks"]
    (said,), _ = printed("Confusions")
    printed_counts = re.findall(r"^([^,]+),([^,]+),(\d+),", said, re.MULTILINE)
    for found in (each["relation"] for each in one["confusion"]):
        names = found["names"]
        for gold, system, count, _ in found["cells"]:
            if gold != system >= 0:
                assert (names[gold], names[system], str(count)) in printed_counts


def test_changes(printed, data):
    said, signatures = printed("Changes")
    pairs = data["changes"]["pairs"]
    assert len(said) == len(pairs) == 3
    for one, printing, signature in zip(pairs, said, signatures, strict=True):
        assert signature in printing
        lines = [line.split() for line in printing.splitlines()]
        for row in one["tables"]["layers"]:
            if row["layer"] != "misc":  # of outputs the page compares annotation only
                assert [row["layer"], str(row["words"]), str(row["changed"])] in [line[:3] for line in lines]


def test_profiles(printed, data):
    said, _ = printed("Profiles")
    for one in data["treebanks"]["profiles"]:
        text = next(text for text in said if one["treebank"] in text)
        for aspect in one["aspects"]:
            assert aspect["text"] in text, aspect["name"]


def test_rankings(printed, data):
    found = data["ranking"]["boards"][0]
    systems, usual = found["systems"], found["usual"]
    (said, means), _ = printed("Ranking of chosen treebanks")
    boxes = np.frombuffer(base64.b64decode(found["boxes"]["f32"]), "<f4")
    boxes = boxes.reshape(-1, len(systems), 5)[usual]
    leader = systems[int(np.argmin(boxes[:, 2]))]
    worst = boxes[systems.index(leader), 4]
    assert re.search(rf"^ *{worst:g} +{leader} ", said, re.MULTILINE)
    assert len(re.findall(r"\d\d\.\d\d", means)) >= len(systems) - 1  # and one below 10
    (said,), _ = printed("Mean ranks")
    printing = json.loads(said)
    exact = np.frombuffer(base64.b64decode(found["means"]["f32"]), "<f4")
    exact = dict(zip(systems, exact.reshape(-1, len(systems))[usual].tolist(), strict=True))
    assert {r["system"]: r["mean"] for r in printing["systems"]} == pytest.approx(exact, rel=1e-5)
    above = np.frombuffer(base64.b64decode(found["above"]["f32"]), "<f4")
    above = above.reshape(-1, len(systems), len(systems))[usual]
    total = int(found["numbers"][usual])
    for pair in printing["pairs"]:
        a, b = systems.index(pair["system"]), systems.index(pair["other"])
        assert int(pair["wins"]) / total == pytest.approx(above[a, b], rel=1e-5, abs=1e-9)
    (said,), signatures = printed("Rank boxes")
    assert signatures[0].endswith("|units:genus")
    assert json.loads(said)["signature"] == signatures[0]
    printing = {one["system"]: one for one in json.loads(said)["systems"]}
    for name, box in zip(systems, boxes.tolist(), strict=True):
        assert [printing[name][of] for of in ("best", "q1", "median", "q3", "worst")] == pytest.approx(box, abs=1e-6)
    (said,), signatures = printed("Certificates")
    assert signatures[0] in said
    assert found["claims"][0]["text"] in " ".join(said.split())


def test_measures(printed, data):
    found = data["treebanks"]
    said, signatures = printed("Measures")
    for one, printing, signature in zip(found["treebanks"], said, signatures, strict=True):
        assert signature in printing
        lines = rows(printing)
        for name, value in one["values"].items():
            if value is not None:
                shown = float(lines[name][-1].replace(",", ""))
                assert shown == pytest.approx(value, rel=1e-3, abs=1e-4), name
    said, _ = printed("EDV")
    for one, printing in zip(found["treebanks"], said, strict=True):
        assert float(rows(printing)["edv"][-1]) == pytest.approx(one["values"]["edv"], abs=1e-4)
    said, _ = printed("Displacements")
    for one, printing in zip(found["treebanks"], said, strict=True):
        share = found["displacements"][one["treebank"]][found["reach"] + 1]
        assert f"{share:.4f}" in printing
    said, signatures = printed("Audit warnings")
    for one, printing, signature in zip(found["audits"], said, signatures, strict=True):
        assert signature in printing
        for finding in one["findings"]:
            assert finding["message"] in printing


def test_maps(printed, data):
    (one,) = data["maps"]["maps"]
    (said,), signatures = printed("Confidence and variability")
    assert signatures[0] in said
    for values in one["values"].values():
        assert f"{values['confidence']:.3f}" in said
        assert f"{values['hard']:.3f}" in said
    (listed,) = data["candidates"]["lists"]
    (said,), signatures = printed("Annotation-error candidates")
    assert signatures[0] in said
    for suspect in listed["items"]:
        assert f"{suspect['score']:.3f}" in said


def test_learning(printed, data):
    found = data["learning"]
    (said,), signatures = printed("Learning curves")
    assert signatures[0] in said
    for _, _, kind, _, score, *_ in found["curves"]:
        assert kind in said
        assert score is None or f"{score:.1f}" in said
    (outlook,) = found["advice"]
    (said,), signatures = printed("Gain from more sentences")
    assert signatures[0] in said
    _, then, gain, low, high = next(point for point in outlook["points"] if point[0] == outlook["have"])
    assert f"from {outlook['now']:.1f} to about {then:.1f} ({gain:+.1f}, {low:+.1f} to {high:+.1f})" in said
    (said,), _ = printed("Equivalents")
    assert f"{found['score']:.1f}" in said
    (said,), signatures = printed("Complexity")
    assert signatures[0] in said
    for row in found["complexity"]:
        if row["group"] == "" and row["complexity"] is not None:
            assert f"{row['complexity']:.1f}" in said


def test_transfer(printed, data):
    (one,) = data["learning"]["transfers"]
    (said,), signatures = printed("Transfer")
    again = json.loads(said)
    assert again["signature"] == signatures[0]
    for row, now in zip(one["rows"], again["rows"], strict=True):
        assert (row["left_out"], row["metric"]) == (now["left_out"], now["metric"])
        assert now["score"] == pytest.approx(row["score"], abs=0.5), "training may round otherwise"


def test_equations_of_the_page_are_those_of_the_methods():
    from tools.docs.equations import TARGET, equations, mathml

    assert TARGET.read_text(encoding="utf-8") == equations(), "run `python -m tools.docs.equations`"
    assert "<msup><mi>x</mi><mn>2</mn></msup><mo>≤</mo><mfrac>" in mathml(r"x^2 ≤ \frac{1}{a_i}")
