"""The unified diff of two versions gives the new one byte for byte, by ``git apply`` and by ``patch``."""

import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treegauge as tg
from treegauge.auditing.changes.unified_diff import FileText, longest_increasing, read_files, unified_diff
from treegauge.core.errors import TreegaugeError

TOOLS = {"git": ["git", "apply", "-"], "patch": ["patch", "-p1", "--batch"]}


def row(number, form, head=0, deprel="root"):
    return f"{number}\t{form}\t_\tX\t_\t_\t{head}\t{deprel}\t_\t_\n"


def sentence(name, *forms):
    comment = f"# sent_id = {name}\n" if name else ""
    return comment + "".join(row(i, form) for i, form in enumerate(forms, 1)) + "\n"


def files(texts):
    return [FileText(name, text if isinstance(text, bytes) else text.encode()) for name, text in texts.items()]


def applied(diff, old, folder, tool):
    """Return the files of a folder after a tool has applied a diff, by name."""
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not installed")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file in old:
        (folder / file.name).write_bytes(file.data)
    if diff:
        done = subprocess.run(TOOLS[tool], input=diff, cwd=folder, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr + done.stdout
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def check(old, new, folder, tool):
    """Return the diff of two versions after a check that it gives the new one."""
    diff = unified_diff(old, new)
    assert applied(diff, old, folder, tool) == {file.name: file.data for file in new}
    return diff


ABC = sentence("a", "Go", "on") + sentence("b", "Stop") + sentence("c", "Wait", "here")


def test_equal_files_give_an_empty_diff():
    assert unified_diff(files({"x.conllu": ABC}), files({"x.conllu": ABC})) == b""


@pytest.mark.parametrize("tool", TOOLS)
def test_a_changed_field_is_one_line_in_its_context(tool, tmp_path):
    new = ABC.replace("2\ton\t_\tX", "2\ton\t_\tADV")
    diff = check(files({"x.conllu": ABC}), files({"x.conllu": new}), tmp_path / "t", tool).decode().splitlines()
    assert diff[:3] == ["--- a/x.conllu", "+++ b/x.conllu", "@@ -1,6 +1,6 @@"]
    assert [line for line in diff[3:] if line[0] in "+-"] == [
        "-2\ton\t_\tX\t_\t_\t0\troot\t_\t_", "+2\ton\t_\tADV\t_\t_\t0\troot\t_\t_",
    ]  # fmt: skip


CHANGES = {
    "deleted, inserted and moved": (sentence("c", "Wait", "here") + sentence("d", "New") + sentence("a", "Go", "on")),
    "no end of the last line": ABC.rstrip("\n"),
    "other line ends": ABC.replace("\n", "\r\n"),
    "comments after the last sentence": ABC + "# tail\n# more",
    "nothing left": "",
    "not CoNLL-U": "x\ty\n\n\n# z\n1\n",
    "not UTF-8": ABC.encode().replace(b"Stop", b"\xff\x00\r"),
    "a byte order mark": b"\xef\xbb\xbf" + ABC.encode(),
    "repeated sentences": ABC + ABC + ABC.replace("X", "Y"),
}


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_applied_both_ways(change, tool, tmp_path):
    old, new = files({"x.conllu": ABC}), files({"x.conllu": CHANGES[change]})
    check(old, new, tmp_path / "t", tool)
    check(new, old, tmp_path / "t", tool)


@pytest.mark.parametrize("tool", TOOLS)
def test_files_of_a_folder_are_matched_by_name_added_and_removed(tool, tmp_path):
    parts = [sentence(name, name * 5, name) for name in "abcdef"]
    old = {"train x.conllu": "".join(parts[:4]), "dev.conllu": parts[4], "old.conllu": parts[5]}
    new = {"train x.conllu": "".join(parts[1:4]), "dev.conllu": parts[0] + parts[4], "new.conllu": parts[5]}
    diff = check(files(old), files(new), tmp_path / "t", tool).decode()
    assert "--- a/train x.conllu\t\n" in diff
    assert "--- /dev/null\n+++ b/new.conllu\n@@ -0,0 +1,4 @@\n" in diff
    assert "--- a/old.conllu\n+++ /dev/null\n@@ -1,4 +0,0 @@\n" in diff


def test_one_file_against_one_is_a_diff_of_the_old_file():
    diff = unified_diff(files({"gold.conllu": ABC}), files({"mine.conllu": ABC.replace("X", "Y")}))
    assert diff.startswith(b"--- a/gold.conllu\n+++ b/gold.conllu\n")


def test_a_diff_fits_a_file_whose_lines_have_moved(tmp_path):
    long = "".join(sentence(f"s{i}", f"word{i}", "x") for i in range(20))
    diff = unified_diff(files({"x.conllu": long}), files({"x.conllu": long.replace("word9\t_", "word9\tnine")}))
    later = sentence("new", "Hello") + long
    made = applied(diff, files({"x.conllu": later}), tmp_path / "t", "git")["x.conllu"].decode()
    assert made == later.replace("word9\t_", "word9\tnine")


LINES = st.sampled_from(
    [row(1, "a"), row(2, "b"), row(1, "c", 1, "x"), "\n", "# sent_id = a\n", "# t\n", "x\n", "\r\n"]
)


@pytest.mark.parametrize("tool", TOOLS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(LINES, max_size=24), st.lists(LINES, max_size=24), st.booleans(), st.data())
def test_any_two_texts(tool, tmp_path, one, two, ends, data):
    shared = data.draw(st.lists(LINES, max_size=12))
    old, new = ("".join([*part, *shared]) for part in (one, two))
    new = new if ends else new.rstrip("\n")
    check(files({"x.conllu": old}), files({"x.conllu": new}), tmp_path / "t", tool)


@settings(max_examples=60)
@given(st.permutations(range(7)))
def test_a_longest_increasing_subsequence(numbers):
    kept = [numbers[i] for i in longest_increasing(numbers)]
    assert kept == sorted(kept)
    best = [0] * 7
    for i, number in enumerate(numbers):
        best[i] = 1 + max((best[j] for j in range(i) if numbers[j] < number), default=0)
    assert len(kept) == max(best)


def test_files_of_one_name_are_refused():
    with pytest.raises(TreegaugeError, match=r"several files named x\.conllu"):
        unified_diff(files({"x.conllu": ABC}) * 2, files({"x.conllu": ABC}))


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("name", ["UD_Coptic-Scriptorium", "UD_Czech-CLTT", "UD_Turkish-IMST"])
def test_releases_become_each_other_byte_for_byte(ud, tmp_path, name, tool):
    folders = [read_files(ud / release / name) for release in ("r2.5", "r2.9")]
    for old, new in (folders, folders[::-1]):
        check(old, new, tmp_path / "t", tool)


@pytest.mark.parametrize("tool", ["git apply ../changes.patch", "patch -p1 -i ../changes.patch"])
def test_the_command_writes_a_diff_that_the_documented_commands_apply(command, tmp_path, tool):
    """The commands of docs/howto/diff.md, run in the folder of the old file."""
    (tmp_path / "a").mkdir()
    old, new = tmp_path / "a" / "gold.conllu", tmp_path / "hasty.conllu"
    old.write_text(ABC)
    new.write_text(ABC.replace("on", "off"))
    done = command("diff", old, new, "-o", tmp_path / "changes.patch")
    assert (done.code, done.out) == (0, "")
    printed = command("diff", old, new, "--format", "patch")
    assert printed.out.encode() == (tmp_path / "changes.patch").read_bytes() == tg.diff(old, new).to_patch()
    subprocess.run(tool.split(), cwd=old.parent, check=True, capture_output=True)
    assert old.read_bytes() == new.read_bytes()
