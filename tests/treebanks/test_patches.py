"""A patch holds what changed and nothing else; applied, it gives the new files exactly."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.editing.patch_applying import apply_patch
from treegauge.treebanks.editing.patch_writing import FileText, make_patch
from treegauge.treebanks.editing.patches import TITLE, escaped, format_patch, parse_patch, unescaped


def row(number, form, head=0, deprel="root", misc="_"):
    return f"{number}\t{form}\t_\tX\t_\t_\t{head}\t{deprel}\t_\t{misc}\n"


def sentence(name, *forms, **fields):
    comment = f"# sent_id = {name}\n" if name else ""
    return comment + "".join(row(i, form, **fields) for i, form in enumerate(forms, 1)) + "\n"


def files(**texts):
    return [FileText(f"{name}.conllu", text.encode(errors="surrogateescape")) for name, text in texts.items()]


def patched(old, new):
    """Return the patch of two versions as text, after a check that it gives the new one."""
    text = format_patch(make_patch(old, new))
    result = apply_patch(parse_patch(text), old)
    assert dict(result.files) == {one.name: one.data for one in new}
    assert not result.refused
    return text


def lines(text):
    return [line for line in text.splitlines()[1:] if not line.startswith("file\t")]


ABC = sentence("a", "Go", "on") + sentence("b", "Stop") + sentence("c", "Wait", "here")


def test_equal_files_give_an_empty_patch():
    assert patched(files(x=ABC), files(x=ABC)) == f"{TITLE}\n"


def test_a_changed_field_is_one_line():
    new = ABC.replace("2\ton\t_\tX", "2\ton\t_\tADV")
    assert lines(patched(files(x=ABC), files(x=new))) == ["sentence\ta", "2\ton\tupos\tX\tADV"]


def test_comments_are_changed_by_line():
    new = ABC.replace("# sent_id = b\n", "# newdoc\n# sent_id = b\n")
    assert lines(patched(files(x=ABC), files(x=new))) == ["sentence\tb", "+1\t# newdoc"]


def test_sentences_are_deleted_inserted_and_moved():
    a, b, c = (sentence(name, name * 5) for name in "abc")
    new = c + a + sentence("d", "ddddd")
    text = patched(files(x=a + b + c), files(x=new))
    assert re.sub("delete\tb\t[0-9a-f]{8}", "delete\tb", "\n".join(lines(text))).split("\n") == [
        "delete\tb", "first", "move\tc\tc\tx.conllu", "after\ta",
        "+# sent_id = d", f"+{row(1, 'ddddd')[:-1]}", "+",
    ]  # fmt: skip


def test_sentences_move_between_files_in_runs():
    names = [f"{letter}{letter.upper()}" for letter in "abcdefgh"]
    whole = [sentence(name, name * 4) for name in names]
    old = files(train="".join(whole[:6]), test="".join(whole[6:]))
    new = files(train="".join(whole[:3]), test="".join(whole[6:] + whole[3:6]))
    assert lines(patched(old, new)) == ["after\thH", "move\tdD\tfF\ttrain.conllu"]


def test_files_appear_and_disappear():
    patched(files(train=ABC), files(train=sentence("a", "Go", "on"), dev=sentence("b", "Stop")))
    patched(files(train=ABC, old=sentence("z", "Zzz")), files(train=ABC))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.rstrip("\n"),
        lambda text: text[:-1],
        lambda text: text + "\n\n",
        lambda text: "\n" + text,
        lambda text: "\ufeff" + text,
        lambda text: text + "# after the last sentence",
        lambda text: text.replace("\n", "\r\n", 3),
        lambda text: text.replace("Stop", "Stop\\n\\."),
        lambda text: text.replace("Stop", "St\u2028op"),
        lambda text: text.replace("Stop", "\udcff"),
        lambda text: text.replace("# sent_id = b", "# sent_id = a"),
        lambda text: text.replace("# sent_id = b\n", ""),
        lambda text: "",
    ],
)
def test_line_ends_blank_lines_and_odd_bytes_are_kept(change):
    patched(files(x=ABC), files(x=change(ABC)))
    patched(files(x=change(ABC)), files(x=ABC))


def test_other_line_ends_alone_are_one_line():
    assert lines(patched(files(x=ABC), files(x=ABC.replace("\n", "\r\n")))) == ["newlines\tlf\tcrlf"]


_sentences = st.lists(
    st.tuples(
        st.sampled_from(["", "a", "b", "c", "d"]),
        st.lists(st.sampled_from(["x", "yy", "zzz", "x\\", "."]), min_size=1, max_size=4),
        st.sampled_from(["nsubj", "obj"]),
    ),
    max_size=7,
)
_endings = st.sampled_from(["", "\n", "# c", "# c\n", "\r\n"])


@given(_sentences, _sentences, _sentences, _sentences, _endings, st.booleans(), st.booleans())
@settings(max_examples=150, deadline=None)
def test_any_two_pairs_of_files_are_patched_exactly(a, b, c, d, ending, cut, crlf):
    def text(some):
        return "".join(sentence(name, *forms, deprel=rel) for name, forms, rel in some)

    new = text(c) + ending
    new = new[:-1] if cut else new
    new = new.replace("\n", "\r\n") if crlf else new
    patched(files(train=text(a), dev=text(b)), files(train=new, test=text(d)))


@given(st.text(st.sampled_from("\\.r\r\tab"), max_size=8))
def test_lines_come_back_from_their_escaped_form(text):
    assert unescaped(escaped(text)) == text
    assert unescaped(escaped(text + "\n")) == text + "\n"
    assert "\r" not in escaped(text)


HAND = f"{TITLE}\n# by hand\n\nsentence\ta\n2\ton\thead\t0\t1\n2\ton\tdeprel\troot\tadvmod\n"


def test_a_patch_written_by_hand_needs_no_file_and_no_checksum():
    ((_, data),) = apply_patch(parse_patch(HAND), files(x=ABC)).files
    assert data.decode() == ABC.replace(row(2, "on"), row(2, "on", 1, "advmod"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Go\thead", "Go\thead", "found no word"),
        ("\ton\t", "\toff\t", "found FORM 'on', expected 'off'"),
        ("deprel\troot", "deprel\tnsubj", "found DEPREL 'root', expected 'nsubj'"),
        ("sentence\ta", "sentence\tz", "found no such sentence"),
    ],
)
def test_a_change_that_does_not_fit_is_refused_with_its_line(old, new, message):
    patch = HAND.replace(old, new)
    if "no word" in message:
        patch = HAND.replace("2\ton", "9\ton")
    with pytest.raises(TreegaugeError, match=re.escape(message)) as raised:
        apply_patch(parse_patch(patch), files(x=ABC))
    assert "line " in str(raised.value)
    assert "--partial" in str(raised.value)


def test_partial_applies_what_fits_and_lists_the_rest():
    new = ABC.replace("Stop\t_\tX", "Stop\t_\tVERB").replace("here\t_\tX", "here\t_\tADV")
    patch = parse_patch(format_patch(make_patch(files(x=ABC), files(x=new))))
    other = ABC.replace("here\t_\tX", "here\t_\tNOUN")
    with pytest.raises(TreegaugeError, match=r"x\.conllu is not the file .* checksum is"):
        apply_patch(patch, files(x=other))
    result = apply_patch(patch, files(x=other), partial=True)
    assert result.files[0][1].decode() == other.replace("Stop\t_\tX", "Stop\t_\tVERB")
    assert [one.sentence for one in result.refused] == ["c"]
    assert "found UPOS 'NOUN', expected 'X'" in str(result.refused[0])


def test_partial_finds_sentences_in_files_of_other_names():
    new = ABC.replace("Stop\t_\tX", "Stop\t_\tVERB")
    patch = parse_patch(format_patch(make_patch(files(x=ABC), files(x=new))))
    result = apply_patch(patch, files(y=sentence("q", "Quit"), z=ABC), partial=True)
    assert dict(result.files)["z.conllu"] == new.encode()
    assert set(dict(result.files)) == {"y.conllu", "z.conllu"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "patch:1: found ''; expected 'treegauge patch 1'"),
        (f"{TITLE}\nsentense\ta\n", "patch:2: found 'sentense.* expected a change of a word"),
        (f"{TITLE}\nsentence a\n", "separated by tabs"),
        (f"{TITLE}\nsentence\ta\n1\tGo\thead\t0\n", "patch:3: found 4 parts; expected ID, FORM"),
        (f"{TITLE}\nsentence\ta\n1\tGo\ttag\t0\t1\n", "found column 'tag'; expected one of id"),
        (f"{TITLE}\nsentence\ta\n1\tGo\tupos\tX\t\n", "found an empty new value"),
        (f"{TITLE}\n1\tGo\thead\t0\t1\n", "in the changes of a sentence"),
        (f"{TITLE}\nsentence\ta\n-x\t1\n", "patch:3: found '-x"),
        (f"{TITLE}\nfile\tx\n", "expected file, the old name"),
        (f"{TITLE}\nnewlines\tlf\tcr\n", "expected lf or crlf"),
        (f"{TITLE}\nfirst\n+x\n", "a line that names the file"),
    ],
)
def test_an_odd_patch_is_refused_with_line_found_and_expected(text, message):
    with pytest.raises(TreegaugeError, match=message):
        parse_patch(text)


def test_a_patch_cannot_write_outside_its_folder():
    patch = parse_patch(f"{TITLE}\nfile\t-\t../x.conllu\nfirst\n+1\n")
    with pytest.raises(TreegaugeError, match="expected a name without folders"):
        apply_patch(patch, files(x=ABC))


def test_a_patch_edited_by_hand_under_its_checksum_is_refused():
    new = ABC.replace("Stop\t_\tX", "Stop\t_\tVERB")
    text = format_patch(make_patch(files(x=ABC), files(x=new))).replace("VERB", "NOUN")
    with pytest.raises(TreegaugeError, match="edited or damaged"):
        apply_patch(parse_patch(text), files(x=ABC))
