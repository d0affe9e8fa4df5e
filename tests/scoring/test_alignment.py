"""Section 3 of the specification: characters, tokens and the alignment of words."""

import pytest
from udtools import udeval

from treegauge.scoring.alignment.align import align
from treegauge.scoring.alignment.paired_reading import SideReader, read_pairs
from treegauge.scoring.alignment.segmentation import MismatchError
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.settings import Reading
from treegauge.treebanks.data.conllu import parse_conllu
from treegauge.treebanks.data.problems import ConlluError

from .oracle import TOTALS, assert_parity, chain, conllu, four, official, ours, row, tokens

# The official script's own tests: gold, system, words aligned.
BUILT_IN = [
    (["a"], ["a"], 1),
    (["a", "b", "c"], ["a", "b", "c"], 3),
    (["abc a b c"], ["a", "b", "c"], 3),
    (["a", "bc b c", "d"], ["a", "b", "c", "d"], 4),
    (["abcd a b c d"], ["ab a b", "cd c d"], 4),
    (["abc a b c", "de d e"], ["a", "bcd b c d", "e"], 5),
    (["abcd"], ["a", "b", "c", "d"], 0),
    (["abc", "d"], ["a", "b", "c", "d"], 1),
    (["a", "bc", "d"], ["a", "b", "c", "d"], 2),
    (["a", "bc b c", "d"], ["a", "b", "cd"], 2),
    (["abc a BX c", "def d EX f"], ["ab a b", "cd c d", "ef e f"], 4),
    (["ab a b", "cd bc d"], ["a", "bc", "d"], 2),
    (["a", "bc b c", "d"], ["ab AX BX", "cd CX a"], 1),
]


@pytest.mark.parametrize(("gold", "system", "correct"), BUILT_IN)
def test_built_in_alignment(gold, system, correct):
    sizes = [sum(max(1, t.count(" ")) for t in texts) for texts in (gold, system)]
    scores = assert_parity(tokens(*gold), tokens(*system))
    assert four(scores, "Words") == (correct, *sizes, None)
    back = assert_parity(tokens(*system), tokens(*gold))
    assert four(back, "Words") == (correct, *sizes[::-1], None)


def test_built_in_exception():
    with pytest.raises(udeval.UDError):
        official(tokens("a"), tokens("b"))
    with pytest.raises(MismatchError):
        ours(tokens("a"), tokens("b"))


# --------------------------------------------------------------------------------- characters

SAME_TEXT = {
    "space": "a b",
    "no-break space": "a\u00a0b",
    "thin space": "a\u2009b",
    "ideographic space": "a\u3000b",
    "narrow no-break space": "a\u202fb",
    "medium mathematical space": "a\u205fb",
    "ogham space mark": "a\u1680b",
    "spaces around": " \u2000a\u200ab ",
}
OTHER_TEXT = {
    "zero width space stays": ("ab", "a\u200bb"),
    "word joiner stays": ("ab", "a\u2060b"),
    "Mongolian vowel separator stays": ("ab", "a\u180eb"),
    "case matters": ("ab", "aB"),
    "no composition": ("é", "e\u0301"),
    "more characters": ("ab", "abc"),
    "line separator stays": ("ab", "a\u2028b"),
}


@pytest.mark.parametrize("form", SAME_TEXT.values(), ids=SAME_TEXT)
def test_space_characters_do_not_count(form):
    gold, system = conllu(chain("ab", "c")), conllu(chain(form, "c"))
    assert four(assert_parity(gold, system), "Words") == (2, 2, 2, None)
    assert four(assert_parity(system, gold), "Tokens") == (2, 2, 2, None)


@pytest.mark.parametrize(("one", "other"), OTHER_TEXT.values(), ids=OTHER_TEXT)
def test_any_other_difference_is_refused(one, other):
    for gold, system in ((one, other), (other, one)):
        sides = conllu(chain("x", gold)), conllu(chain("x", system))
        with pytest.raises(udeval.UDError, match="concatenation of tokens"):
            official(*sides)
        with pytest.raises(MismatchError):
            ours(*sides)


def test_characters_run_through_the_whole_file():
    gold = conllu(chain("ab", "c"), chain("d"))
    system = conllu(chain("a"), chain("bc", "d"))
    scores = assert_parity(gold, system)
    assert four(scores, "Tokens") == (1, 3, 3, None)
    assert four(scores, "Sentences") == (0, 2, 2, None)


def test_the_text_is_the_multiword_token_not_its_words():
    gold = tokens("vámonos vamos nos", "ya")
    assert four(assert_parity(gold, tokens("vámonos", "ya")), "Words") == (1, 3, 2, None)
    with pytest.raises(udeval.UDError):
        official(gold, tokens("vamos", "nos", "ya"))
    with pytest.raises(MismatchError):
        ours(gold, tokens("vamos", "nos", "ya"))


def test_message_shows_both_places():
    filler = conllu(*[chain("x")] * 3)
    gold = "# sent_id = g0\n" + filler + "# sent_id = g4\n" + conllu(chain("same", "naïve" * 6))
    system = filler + "# sent_id = s4\n" + conllu(chain("same", "nai\u0308ve" * 6))
    with pytest.raises(udeval.UDError) as theirs:
        official(gold, system)
    with pytest.raises(MismatchError) as caught:
        ours(gold, system)
    message = str(caught.value)
    for shown in ("ïvenaïvenaïvenaïvena", "i\u0308venai\u0308venai\u0308venai\u0308"):
        assert repr(shown) in message
        assert repr(shown) in str(theirs.value)
    assert "text:10 (sent_id g4): token 'naïvenaïve" in message
    assert "text:9 (sent_id s4): token 'nai\u0308ve" in message
    assert "U+00EF LATIN SMALL LETTER I WITH DIAERESIS" in message
    assert "U+0069 LATIN SMALL LETTER I" in message


SENTENCES = [[f"# sent_id = s{i}", *chain(f"w{i}", f"x{i * 7919}", "y" * 40)] for i in range(90)]


@pytest.mark.parametrize("chunk", [1, 400, 1 << 20])
@pytest.mark.parametrize(
    ("kept", "where"),
    [
        (SENTENCES[:50], "after sentence 50 of 90 (line 249)"),
        ([*SENTENCES[:50], SENTENCES[50][:2]], "within sentence 51 of 90 (line 252)"),
        ([chain("w0")], "within sentence 1 of 90 (line 1)"),
    ],
)
def test_message_says_after_which_sentence_an_output_ends(tmp_path, chunk, kept, where):
    """Scores were refused because "the file is empty"."""
    for name, sentences in (("gold", SENTENCES), ("out", kept)):
        (tmp_path / f"{name}.conllu").write_text(conllu(*sentences))
    sides = [str(tmp_path / f"{name}.conllu") for name in ("gold", "out")]
    with pytest.raises(MismatchError) as caught:
        evaluate(sides[0], {"out": sides[1]}, options=TOTALS, chunk=chunk)
    assert str(caught.value).startswith(f"out ends {where}: the output is incomplete\n")
    assert "gold continues:   gold:" in str(caught.value)
    with pytest.raises(MismatchError, match=r"^gold continues after the last ") as two:
        evaluate(sides[1], {"out": sides[0]}, options=TOTALS, chunk=chunk)
    last = where.partition("(")[2]
    assert f"sentence of gold ({len(kept)}, {last}\n" in str(two.value)


def test_an_output_that_ends_is_located_in_the_sentences_of_gold():
    system = conllu(*[chain(form) for lines in SENTENCES[:4] for form in _forms(lines)])
    with pytest.raises(MismatchError, match=r"^text ends after sentence 4 of 90 \(line 23\)"):
        ours(conllu(*SENTENCES), system)


def _forms(lines):
    return [line.split("\t")[1] for line in lines[1:]]


@pytest.mark.parametrize("lost", [1, 3])
def test_message_names_sentences_that_are_missing_in_the_middle(lost):
    gold, shorter = conllu(*SENTENCES), conllu(*SENTENCES[:20], *SENTENCES[20 + lost :])
    count = "1 sentence" if lost == 1 else f"{lost} sentences"
    with pytest.raises(MismatchError) as caught:
        ours(gold, shorter)
    said = f"hint: the output lacks {count} of gold, from text:102 (sent_id s20)"
    assert str(caught.value).endswith(said)
    with pytest.raises(MismatchError) as caught:
        ours(shorter, gold)
    said = f"hint: the output has {count} that gold lacks, from text:102 (sent_id s20)"
    assert str(caught.value).endswith(said)


def test_a_file_that_ends_in_a_damaged_sentence_may_be_cut_off():
    data = conllu(*SENTENCES[:3])
    for end in (1, 2, 12, 40):
        with pytest.raises(ConlluError, match="hint: the file ends without a blank line, so it"):
            ours(conllu(*SENTENCES), data[:-end])
    damaged = data.replace("\t0\t", "\t9\t", 1)
    with pytest.raises(ConlluError, match='hint: errors="skip"'):
        ours(data, damaged)
    with pytest.raises(ConlluError, match='hint: errors="skip"'):
        ours(data, damaged[:-1])  # the last sentence is complete


@pytest.mark.parametrize("comment", ["", "# nothing\n"])
def test_an_empty_file(comment):
    gold = conllu(chain("a"))
    for sides in ((gold, comment), (comment, gold)):
        with pytest.raises(udeval.UDError, match="concatenation of tokens"):
            official(*sides)
        with pytest.raises(MismatchError, match="has no words: the file is empty"):
            ours(*sides)
    assert four(assert_parity(comment, ""), "LAS") == (0, 0, 0, 0)


# ------------------------------------------------------------------------------ tokens and words


def test_tokens_and_sentences_need_equal_spans():
    scores = assert_parity(conllu(chain("1 000")), conllu(chain("1", "000")))
    assert four(scores, "Tokens") == four(scores, "Words") == (0, 1, 2, None)
    assert four(scores, "Sentences") == (1, 1, 1, None)


def test_forms_of_plain_words_are_not_compared():
    scores = assert_parity(conllu(chain("a b", "c")), conllu(chain("ab", "c")))
    assert four(scores, "Words") == (2, 2, 2, None)


def test_words_inside_are_compared_in_lower_case():
    scores = assert_parity(tokens("ab XÉ ß"), tokens("ab xé SS"))
    assert four(scores, "Words") == (1, 2, 2, None)
    # One capital letter whose lower case is two characters.
    scores = assert_parity(tokens("ab İ b"), tokens("ab i\u0307 b"))
    assert four(scores, "Words") == (2, 2, 2, None)


def test_spaces_count_inside_a_multiword_token_only():
    inside = conllu([row("1-2", "a b c"), row(1, "a b", 0), row(2, "c", 1)])
    bare = conllu([row("1-2", "abc"), row(1, "ab", 0), row(2, "c", 1)])
    plain = conllu(chain("a b", "c"))
    assert four(assert_parity(inside, bare), "Words") == (1, 2, 2, None)
    assert four(assert_parity(inside, plain), "Words") == (1, 2, 2, None)
    assert four(assert_parity(bare, plain), "Words") == (2, 2, 2, None)


def test_repeated_forms_align_leftmost():
    gold, system = tokens("xyz a a a"), tokens("xyz a a")
    assert four(assert_parity(gold, system), "Words") == (2, 3, 2, None)
    assert align(parse_conllu(gold), parse_conllu(system)).to_system.tolist() == [0, 1, -1]
    assert four(assert_parity(system, gold), "Words") == (2, 2, 3, None)
    assert align(parse_conllu(system), parse_conllu(gold)).to_system.tolist() == [0, 1]


def test_the_walk_through_the_table_prefers_the_next_gold_word():
    gold, system = tokens("xy a b"), tokens("xy b a")
    assert_parity(gold, system)
    # Either "a" or "b" could be aligned; leaving out gold "a" costs nothing, so "b" it is.
    assert align(parse_conllu(gold), parse_conllu(system)).to_system.tolist() == [-1, 0]


def test_a_span_grows_while_a_multiword_token_sticks_out():
    gold, system = tokens("ab a b", "cd c d", "e"), tokens("a", "bc b c", "de d e")
    scores = assert_parity(gold, system)
    assert four(scores, "Words") == (5, 5, 5, None)
    assert four(scores, "Tokens") == (0, 3, 3, None)


def test_one_earlier_plain_word_is_skipped_before_a_span():
    # "b" starts before the multiword token of the other side; it must not be matched inside.
    gold, system = tokens("ab", "cd b d"), tokens("a", "b", "cd x d")
    scores = assert_parity(gold, system)
    to_system = align(parse_conllu(gold), parse_conllu(system)).to_system.tolist()
    # Only one word is skipped: "a". "b" is inside the span and is matched, as the script does.
    assert to_system == [-1, 1, 3]
    assert four(scores, "Words") == (2, 3, 4, None)


def test_words_can_be_matched_across_a_sentence_end(tmp_path):
    # The same across sentences: pieces must not be cut there, however small they are.
    gold = tokens("abc") + tokens("xy c x") + tokens("z")
    system = tokens("ab", "c") + tokens("xy") + tokens("z")
    assert four(assert_parity(gold, system), "Words") == (2, 4, 4, None)
    paths = [tmp_path / "gold.conllu", tmp_path / "system.conllu"]
    for path, text in zip(paths, (gold, system), strict=True):
        path.write_text(text, encoding="utf-8")
    scores = evaluate(*paths, chunk=20, options=TOTALS)
    assert four(scores, "Words") == (2, 4, 4, None)
    sides = [SideReader.of(path, Reading(), chunk=20) for path in paths]
    sizes = [len(part.gold.treebank) for part in read_pairs(*sides)]
    assert sizes == [2, 1]
