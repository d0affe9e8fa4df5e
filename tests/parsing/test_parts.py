"""Small parts of parsers, each by an example that can be checked by hand."""

import numpy as np

from treegauge.learning.curves.gathering import plan_curves
from treegauge.learning.training_settings import CurveTraining
from treegauge.parsing.beam import mean_rows
from treegauge.parsing.beam_model import BeamOptions, Numbering, ending
from treegauge.parsing.bracket_labels import bracket_marginals, completed
from treegauge.parsing.label_encodings import encodings
from treegauge.parsing.mst import graph_words
from treegauge.parsing.programs.command_templates import filled_command, find_template
from treegauge.parsing.programs.external_process import to_conllx, to_unparsed
from treegauge.parsing.programs.udpipe_settings import UDPipeOptions, options_text, udpipe_values
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu, write_conllu


def test_weights_that_one_learner_lacks_count_as_zero():
    one = np.uint64([7]), np.int32([0, 2]), np.int32([0, 3]), np.float32([1, -4])
    two = np.uint64([5, 7]), np.int32([0, 1, 2]), np.int32([0, 3]), np.float32([6, 1])
    means = [[5, 7], [0, 1, 3], [0, 0, 3], [3.0, 0.5, -1.5]]
    assert [column.tolist() for column in mean_rows([one, two])] == means


def test_numbers_of_values():
    tags = Numbering.of(["NOUN", "VERB", "NOUN"])
    assert tags.numbers(["VERB", "PUNCT"]).tolist() == [4, 0]
    assert (len(tags), tags.size) == (2, 5)
    assert ending(3)("Schiffe") == "ffe"


def test_small_training_sets_get_more_learners():
    sizes = (5, 50, 100, 250, 500)
    assert [BeamOptions().learners_of(size) for size in sizes] == [10, 10, 5, 2, 1]


def test_words_of_commands_stay_words():
    assert filled_command(["parse", "-i={input}"], {"input": "a b; rm c"}) == ["parse", "-i=a b; rm c"]
    assert find_template("maltparser", "/dev/null").format == "conllx"


def test_brackets_of_three_words():
    codes, labels = encodings()["two-planar"].encode([2, 0, 2], [0, 3])[0]
    assert [labels[code] for code in codes] == [".", "<\\", "/>"]


def test_heads_from_probabilities_of_labels():
    counts = np.array([[0, 0, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1]])  # none, both of < \, of / >
    spread = np.array([[1, 0, 0], [0.2, 0.7, 0.1]])
    claims = bracket_marginals([spread], [counts], [0, 2])[0]
    np.testing.assert_allclose(claims, [[0, 0, 0.7], [0, 0.1, 0]])
    whole = completed(np.array([[0, 0, 0.6], [0.5, 1.5, 0]]), np.array([0.2, 0.5]))
    np.testing.assert_allclose(whole, [[0.3, 0, 0.7], [0.25, 0.75, 0]])


def test_words_of_the_graph_parser_have_room_around_them():
    two = parse_conllu("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n" * 2)
    words = graph_words(two, ["X"], 3)
    assert words.letters.shape == (6, 12)
    assert words.roots.tolist() == [2, 8]
    assert words.kinds.tolist() == [62, 62, 62, 0, 62, 62, 62, 62, 62, 0, 62, 62]


def test_what_programs_are_given():
    text = "# a\n1\tvan Dam\tDam\tPROPN\tN\tCase=Nom\t0\troot\t_\tX=Y\n\n"
    told = b"1\tvan_Dam\tDam\tPROPN\tPROPN\tCase=Nom\t0\troot\t_\t_\n\n"
    assert to_conllx(parse_conllu(text)) == told
    treebank = parse_conllu("# a\n1\tGo\tgo\tVERB\t_\t_\t0\troot\t0:root\t_\n\n")
    assert to_unparsed(treebank, heads="_") == b"# a\n1\tGo\tgo\tVERB\t_\t_\t_\t_\t_\t_\n\n"


def test_options_of_udpipe():
    size = {"sentences": 500, "words": 12500}
    assert udpipe_values(UDPipeOptions(preset="sized"), **size)["hidden_layer"] == 32
    greek = udpipe_values(UDPipeOptions(treebank="el", iterations=3), **size)
    assert greek["transition_system"] == "link2"
    assert options_text({"iterations": 3, "l2": 0.5}) == "iterations=3;l2=0.5"


def test_a_curve_trains_alike_at_every_size(tmp_path):
    folder = tmp_path / "UD_Toy-Invented"
    folder.mkdir()
    for split in ("train", "test"):
        write_conllu(synthetic(20, seed=0), folder / f"toy-ud-{split}.conllu")
    parsers = "beam", "beam learners=3", "udpipe preset=fast", "udpipe preset=fast iterations=4", "udpipe"
    plan = plan_curves([folder], CurveTraining(parser=parsers, sizes="5,10"))
    options = {(cell.size, *cell.options.items()) for cell in plan.expand().cells()}
    kept = {(dict(one[1:]).get("learners"), dict(one[1:]).get("iterations")) for one in options}
    assert kept == {(1, None), (3, None), (None, 10), (None, 4), (None, -1)}
    # Outside curves, few sentences need more epochs.
    fast = UDPipeOptions(preset="fast")
    epochs = [udpipe_values(fast, sentences=n, words=9 * n)["iterations"] for n in (20, 50, 100, 500)]
    assert epochs == [30, 20, 10, 10]
