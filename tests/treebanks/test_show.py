"""``treegauge show``: trees in the terminal and as SVG."""

from xml.etree import ElementTree

import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import read_conllu, write_conllu

TREEBANK = synthetic(8, seed=2)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "gold.conllu"
    write_conllu(TREEBANK, path)
    return path


@pytest.fixture
def system(tmp_path):
    path = tmp_path / "system.conllu"
    write_conllu(TREEBANK.with_columns({"deprel": ["wrong"] * TREEBANK.n_words}), path)
    return path


def drawn(*numbers: int) -> str:
    trees = (f"# {TREEBANK[i].id}: {TREEBANK[i].text}\n{TREEBANK[i]}\n" for i in numbers)
    return "\n".join(trees)


def test_the_first_sentences(command, file):
    assert command("show", file) == (0, drawn(0, 1, 2, 3, 4), "")
    assert command("show", "--limit", 2, file).out == drawn(0, 1)


def test_chosen_sentences(command, file):
    assert command("show", file, "-s", 3, "-s", TREEBANK[0].id).out == drawn(2, 0)
    done = command("show", file, "-s", "nope")
    assert done.code == 2
    assert "no sentence 'nope' in gold: expected a sent_id or a number from 1 to 8" in done.err


def test_standard_input(command):
    assert command("show", "-", "-s", 1, stdin=TREEBANK.to_bytes()).out == drawn(0)


def test_a_sentence_without_a_name(command):
    done = command("show", "-", stdin=b"1\tgo\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    assert done.out.startswith("# 1: go\n")


def test_gold_and_system(command, file, system):
    done = command("show", file, "--system", system, "--limit", 1)
    assert done.out.startswith(drawn(0) + "# system\n")
    assert "wrong" in done.out


def test_svg(command, file, system, tmp_path):
    target = tmp_path / "tree.svg"
    for extra in ([], ["--system", system]):
        assert command("show", file, "-s", 2, "-o", target, *extra) == (0, "", f"wrote {target}\n")
        text = "".join(ElementTree.parse(target).getroot().itertext())
        assert all(form in text for form in TREEBANK[1].form)
        assert ("wrong" in text) == bool(extra)
        printed = command("show", file, "-s", 2, "--format", "svg", *extra).out
        assert printed == target.read_text("utf-8")


def test_several_drawings_are_under_each_other(command, file):
    root = ElementTree.fromstring(command("show", file, "-s", 1, "-s", 2, "--format", "svg").out)
    tops = [float(one.get("y")) for one in root]
    heights = [float(one.get("height")) for one in root]
    assert tops == [0, heights[0]]
    assert float(root.get("height")) == sum(heights)


def test_tikz(command, file, system, tmp_path):
    drawn = command("show", file, "-s", 2, "--format", "tikz").out
    assert drawn.count(r"\begin{dependency}") == 1
    assert drawn.count(r"\depedge") + drawn.count(r"\deproot") == len(TREEBANK[1])
    assert command("show", file, "-s", 2, "-o", tmp_path / "tree.tex").code == 0
    assert (tmp_path / "tree.tex").read_text("utf-8") == drawn
    both = command("show", file, "-s", 2, "--system", system, "--format", "tikz").out
    assert both.count("edge below") == len(TREEBANK[1])
    assert command("show", file, "-s", 2, "--format", "markdown").out.startswith("```text\n# ")


def test_malformed_files_can_be_repaired(command, tmp_path):
    path = tmp_path / "two.conllu"
    path.write_text("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    assert "--errors skip|repair" in command("show", path).err
    done = command("show", "--errors", "repair", path)
    assert done.code == 0
    assert "dep" in done.out


def test_different_words_are_not_drawn_side_by_side(command, file, tmp_path):
    write_conllu(TREEBANK[:4], tmp_path / "other.conllu")
    done = command("show", file, "--system", tmp_path / "other.conllu")
    assert done.code == 2
    assert "different words in sentence" in done.err


def test_sentences_of_another_version_are_found_by_their_id():
    other = TREEBANK.take([3, 1, 0])
    drawings = tg.show(TREEBANK, sentence=[4, 2], system=other)
    assert [one.id for one in drawings.systems] == [TREEBANK[3].id, TREEBANK[1].id]
    with pytest.raises(TreegaugeError, match=f"different words in sentence {TREEBANK[4].id}"):
        tg.show(TREEBANK, sentence=5, system=other)


def test_python_does_the_same(command, file):
    drawings = tg.show(TREEBANK, sentence=[3, TREEBANK[0].id])
    assert f"{drawings}\n" == repr(drawings) + "\n" == drawn(2, 0)
    assert drawings.table["sentence"].to_list() == [3, 1]
    assert drawings.to_html().count("<svg") == 2
    assert tg.show(file, limit=1).signature.split("|")[1] == f"show:{read_conllu(file).mark}"


def test_mistakes(command, file, tmp_path):
    empty = tmp_path / "empty.conllu"
    empty.touch()
    assert command("show", empty).err == "error: empty has no sentences\n"
    assert command("show", "--limit", 0, file).code == 2
    broken = tmp_path / "broken.conllu"
    broken.write_text("x\n\n")
    done = command("show", broken)
    assert done.code == 2
    assert f"{broken}:1: error: columns" in done.err
    assert "Traceback" not in done.err
    done = command("show", file, "-o", tmp_path / "no" / "a.svg")
    assert done.code == 2
    assert "No such file or directory" in done.err
    assert read_conllu(file) == TREEBANK
