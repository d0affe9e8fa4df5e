"""Only the sentences that changed since a commit count."""

import subprocess
from typing import NamedTuple

import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.validation.new_problems import in_changed_sentences, with_changed_lines

WORD = "{}\t{}\t_\tX\t_\t_\t{}\t{}\t_\t_\n"


class Placed(NamedTuple):
    file: str
    line: int
    level: int = 1


def sentence(name, *words):
    rows = [WORD.format(n, w, n - 1, "dep" if n > 1 else "root") for n, w in enumerate(words, 1)]
    return f"# sent_id = {name}\n{''.join(rows)}\n"


def git(folder, *words):
    names = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *names, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    """A repository with one file of three sentences: lines 1 to 4, 5 to 8, 9 to 12."""
    git(tmp_path, "init", "-q", "-b", "main")
    file = tmp_path / "a.conllu"
    file.write_text("".join(sentence(name, name, "end") for name in "xyz"), "utf-8")
    git(tmp_path, "add", "a.conllu")
    git(tmp_path, "commit", "-q", "-m", "first")
    return file


def kept(file, since="main"):
    lines = len(file.read_bytes().split(b"\n"))
    placed = [Placed(str(file), line) for line in range(1, lines)]
    return [one.line for one in in_changed_sentences(placed, since)]


def test_nothing_changed(repository):
    assert kept(repository) == []


def test_a_changed_word_counts_with_its_whole_sentence(repository):
    repository.write_text(repository.read_text("utf-8").replace("\ty\t", "\tY\t"), "utf-8")
    assert kept(repository) == [5, 6, 7, 8]


def test_each_line_has_the_nearest_change_of_its_sentence(repository):
    text = repository.read_text("utf-8").replace("\ty\t", "\tY\t").replace("# sent_id = z", "# sent_id = w")
    repository.write_text(text, "utf-8")
    placed = [Placed(str(repository), line) for line in range(1, 13)]
    found = [line for _, line in with_changed_lines(placed, "main")]
    assert found == [0, 0, 0, 0, 6, 6, 6, 6, 9, 9, 9, 9]


def test_names_that_git_would_take_for_patterns(repository):
    odd = repository.with_name("*.conllu")
    odd.write_bytes(repository.read_bytes())
    git(repository.parent, "--literal-pathspecs", "add", "*.conllu")
    git(repository.parent, "commit", "-q", "-m", "odd")
    repository.write_text(repository.read_text("utf-8").replace("\tx\t", "\tX\t"), "utf-8")
    assert kept(odd) == []


def test_an_inserted_sentence_leaves_its_neighbours_alone(repository):
    text = repository.read_text("utf-8").split("\n\n")
    text.insert(1, sentence("new", "one").rstrip("\n"))
    repository.write_text("\n\n".join(text), "utf-8")
    assert kept(repository) == [5, 6, 7]


def test_a_deleted_word_changes_its_sentence(repository):
    lines = repository.read_text("utf-8").splitlines(keepends=True)
    del lines[6]
    repository.write_text("".join(lines), "utf-8")
    assert kept(repository) == [5, 6, 7]


def test_a_deleted_comment_changes_the_sentence_after_it(repository):
    lines = repository.read_text("utf-8").splitlines(keepends=True)
    del lines[4]
    repository.write_text("".join(lines), "utf-8")
    assert kept(repository) == [5, 6, 7]


def test_a_file_that_git_does_not_know_is_new(repository):
    other = repository.with_name("b.conllu")
    other.write_text(sentence("w", "w"), "utf-8")
    assert kept(other) == [1, 2, 3]


def test_changes_of_the_branch_that_was_left_do_not_count(repository):
    folder = repository.parent
    git(folder, "checkout", "-q", "-b", "mine")
    text = repository.read_text("utf-8")
    git(folder, "checkout", "-q", "main")
    repository.write_text(text.replace("\tz\t", "\tZ\t"), "utf-8")
    git(folder, "commit", "-q", "-a", "-m", "theirs")
    git(folder, "checkout", "-q", "mine")
    repository.write_text(text.replace("\tx\t", "\tX\t"), "utf-8")
    git(folder, "commit", "-q", "-a", "-m", "mine")
    assert kept(repository) == [1, 2, 3, 4]


def test_lines_that_end_as_in_windows(repository):
    changed = repository.read_bytes().replace(b"\n", b"\r\n")
    repository.write_bytes(changed)
    git(repository.parent, "commit", "-q", "-a", "-m", "second")
    repository.write_bytes(changed.replace(b"\tx\t", b"\tX\t"))
    assert kept(repository) == [1, 2, 3, 4]


def test_a_commit_that_git_does_not_know_is_an_error_without_problems_too(repository):
    with pytest.raises(TreegaugeError, match="fetch it first"):
        list(in_changed_sentences([], "nowhere", files=[str(repository)]))


def test_before_the_first_commit_all_is_new(tmp_path):
    git(tmp_path, "init", "-q", "-b", "main")
    file = tmp_path / "a.conllu"
    file.write_text(sentence("w", "w"), "utf-8")
    git(tmp_path, "add", "a.conllu")
    assert kept(file, "HEAD") == [1, 2, 3]


@pytest.mark.parametrize(
    ("since", "message"),
    [("nowhere", "git does not know a commit, branch or tag 'nowhere'"), ("--output=x", "found '--output")],
)
def test_commits_that_are_not_there(repository, since, message):
    with pytest.raises(TreegaugeError, match=message):
        kept(repository, since)


def test_outside_of_a_repository(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    file = tmp_path / "a.conllu"
    file.write_text(sentence("w", "w"), "utf-8")
    with pytest.raises(TreegaugeError, match="is not in a git repository"):
        kept(file)
    with pytest.raises(TreegaugeError, match="needs files in a git repository; got standard input"):
        list(in_changed_sentences([Placed("-", 1)], "main"))
