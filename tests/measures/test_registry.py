"""What holds for every measure: description, bounds, sums, and no value rather than a wrong one."""

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.core.errors import ChoiceError
from treegauge.measures.measure import measure
from treegauge.measures.registry import _MODULES, FAMILIES, Additive, Measure, MissingError, measures, selected_measures
from treegauge.measures.vocabulary import entropy_of
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu

DOCS = Path(__file__).parents[2] / "docs" / "measures"
ALL = list(measures().values())
NAMES = [one.name for one in ALL]


def test_their_order_is_that_of_the_modules_whatever_was_imported_first():
    code = "; ".join(
        [
            *(f"import {module}" for module in reversed(_MODULES)),
            "from treegauge.measures.registry import measures",
            "print(*measures())",
        ]
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == NAMES
    homes = [FAMILIES.index(one.family) for one in ALL]
    assert homes == sorted(homes)
    assert {one.function.__module__ for one in ALL} == set(_MODULES)


def test_a_measure_from_elsewhere_comes_last_in_its_family():
    code = """
from treegauge.measures.registry import measures, register
from treegauge.measures.vocabulary import entropy_of
register("mine", "lengths", "a measure of one's own")(lambda treebank: 1.0)
print(*(one.name for one in measures().values() if one.family == "lengths"))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [*(one.name for one in ALL if one.family == "lengths"), "mine"]


@pytest.fixture(scope="module")
def pair():
    return synthetic(2000, seed=1), synthetic(300, seed=2)


def numbers(value):
    return [v for v in (value.values() if isinstance(value, dict) else [value]) if v is not None]


@pytest.mark.parametrize("one", ALL, ids=NAMES)
def test_it_is_explained(one):
    page = (DOCS / f"{one.family}.md").read_text(encoding="utf-8")
    section = re.search(rf"^## `{one.name}`$(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert section, f"docs/measures/{one.family}.md lacks a heading for {one.name}"
    for label in ("Range", "Meaning"):
        assert f"**{label}**" in section[1], f"{one.name}: the page has no {label!r}"
    assert "    " in section[1], f"{one.name}: the page shows no equation"


@pytest.mark.parametrize("one", ALL, ids=NAMES)
def test_it_has_a_value_within_its_bounds(one, pair):
    value = one(*pair) if one.pair else one(pair[0])
    low, high = one.bounds
    assert numbers(value)
    assert all(low <= number <= high for number in numbers(value))
    assert one.meaning and one.family in FAMILIES


@pytest.mark.parametrize("one", [m for m in ALL if m.additive], ids=lambda m: m.name)
def test_it_is_the_statistic_of_its_sums(one, pair):
    treebanks = pair if one.pair else pair[:1]
    tables = one.additive.tables(*treebanks)
    sums = [np.asarray(table).sum(axis=0, dtype=float) for table in tables]
    if one.additive.kind == "binary":  # the statistic is the share whose entropy it is
        share = one.additive.statistic(*sums)
        assert entropy_of([share, 1 - share]) == pytest.approx(one(*treebanks), abs=1e-12)
        return
    assert one.additive.statistic(*sums) == pytest.approx(one(*treebanks), abs=1e-12)
    stacked = one.additive.statistic(*(np.stack([s, s]) for s in sums))
    assert stacked == pytest.approx([one(*treebanks)] * 2, abs=1e-12)


WORD = st.tuples(
    st.sampled_from(["a", "b", "_"]), st.sampled_from(["a", "_"]), st.sampled_from(["X", "Y", "_"]),
    st.sampled_from(["_", "A=1", "A=1|B=2"]), st.sampled_from(["dep", "obj:x", "_"]),
)  # fmt: skip


@st.composite
def small_bank(draw):
    lines = []
    for _ in range(draw(st.integers(0, 3))):
        size = draw(st.integers(1, 4))
        for number in range(1, size + 1):
            form, lemma, upos, feats, relation = draw(WORD)
            head = draw(st.integers(0, number - 1)) if number > 1 else 0
            head, relation = (1, relation) if number > 1 and head == 0 else (head, relation)
            lines.append(f"{number}\t{form}\t{lemma}\t{upos}\t_\t{feats}\t{head}\t{relation}\t_\t_")
        lines.append("")
    return parse_conllu("\n".join([*lines, ""]) if lines else "")


@settings(max_examples=60, deadline=None)
@given(small_bank(), small_bank())
def test_small_treebanks_give_finite_numbers_or_reasons(one, two):
    found = measure("all", one, two)
    for row in found.measured:
        assert (row.value is None) == (row.missing is not None)
        if row.value is not None:
            low, high = measures()[row.measure].bounds
            for number in numbers(row.value):
                assert math.isfinite(number)
                assert low - 1e-9 <= number <= high + 1e-9, row


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1\t_\t_\t_\t_\t_\t0\t_\t_\t_\n\n",
        "1\t_\t_\t_\t_\t_\t0\t_\t_\t_\n2\t_\t_\t_\t_\t_\t1\t_\t_\t_\n\n",
        "1\tHi\thi\tINTJ\t_\tA=B\t0\troot\t_\t_\n\n",
    ],
    ids=["empty", "blank", "blanks", "one word"],
)
def test_degenerate_treebanks_in_every_format(text):
    treebank = parse_conllu(text)
    for sources in ([treebank], [treebank, treebank]):
        found = measure("all", *sources)
        assert len(found.measured) == len([m for m in ALL if not m.pair]) * len(sources) + (
            len([m for m in ALL if m.pair]) if len(sources) == 2 else 0
        )
        assert any(row.missing for row in found.measured)
        texts = [str(found), found.to_latex(), found.to_html(), found.to_csv()]
        assert all("nan" not in shown.lower() for shown in texts)
        assert str(found.to_dict())


def test_a_value_that_is_no_number_is_missing(bank):
    broken = Measure("broken", "lengths", "always NaN", lambda treebank: math.nan)
    with pytest.raises(MissingError, match="broken of bank came out as nan"):
        broken(bank([0]))


def test_names_families_and_all():
    assert [m.name for m in selected_measures("mdd,edv,mdd")] == ["mdd", "edv"]
    assert {m.family for m in selected_measures("morphology")} == {"morphology"}
    assert selected_measures("all") == ALL
    assert not set(NAMES) & {"all", *FAMILIES}
    with pytest.raises(ChoiceError, match="did you mean 'mdd'"):
        selected_measures("mddd")


def test_which_measures_have_intervals():
    without = {m.name for m in ALL if m.additive is None}
    assert {"ttr", "mc", "form_entropy", "sentences"} <= without
    assert {"edv", "slv", "mdd", "sttr", "crossings", "content", "oov"}.isdisjoint(without)
    assert {m.name for m in ALL if m.additive and m.additive.kind == "distance"} == {"edv", "slv", "upos_divergence"}
    assert isinstance(measures()["edv"].additive, Additive)


def test_other_packages_add_measures_by_entry_points(tmp_path):
    (tmp_path / "my_measures.py").write_text(
        "from treegauge.measures.registry import register\n"
        "@register('vowels', 'lengths', 'number of vowels', bounds=(0, 9e9))\n"
        "def vowels(treebank):\n"
        "    return sum(map(''.join(treebank['form']).count, 'aeiou'))\n"
    )
    info = tmp_path / "my_measures-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-measures\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[treegauge.measures]\nmine = my_measures\nbroken = not_there\n")
    code = (
        "import treegauge as tg\n"
        "bank = tg.parse_conllu('1\\tAo\\t_\\tX\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n')\n"
        "print(tg.measure('vowels', bank)['vowels'])"
    )
    paths = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": paths},
    )  # fmt: skip
    assert done.stdout.split() == ["1"], done.stderr
    assert "the plug-in 'broken' of my-measures 1.0 (treegauge.measures, not_there)" in done.stderr
