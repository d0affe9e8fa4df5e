"""The GitHub Action and the pre-commit hook do in a repository what their files say."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")
TREEGAUGE = f"#!/bin/sh\nexec {sys.executable} -c 'from treegauge.cli import main; main()' \"$@\"\n"
IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in {"NAME": "A", "EMAIL": "a@example.org"}.items()
}

pytestmark = pytest.mark.skipif(not (shutil.which("git") and shutil.which("bash")), reason="needs git and bash")


def sentence(name, *words, head="0"):
    """A sentence whose first word has the given head; any but 0 is an error."""
    text = " ".join(words)
    rows = [
        f"{n}\t{word}\t{word}\tX\t_\t_\t{head if n == 1 else 1}\t{'dep' if n > 1 else 'root'}\t_\t_"
        for n, word in enumerate(words, 1)
    ]
    return "\n".join([f"# sent_id = {name}", f"# text = {text}", *rows, "", ""])


def git(folder, *words):
    done = subprocess.run(["git", *words], cwd=folder, env=os.environ | IDENTITY, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path):
    """A repository whose only commit has an error in the first of three sentences."""
    folder = tmp_path / "UD_X-Y"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "commit.gpgsign", "false")
    file = folder / "x_y-ud-test.conllu"
    file.write_text(
        sentence("old", "a", "b", head="7") + sentence("mine", "c", "d") + sentence("z", "e"), encoding="utf-8"
    )
    git(folder, "add", file.name)
    git(folder, "commit", "-q", "-m", "first")
    return folder


def break_second(repository):
    """Give the second sentence an error, too."""
    file = repository / "x_y-ud-test.conllu"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("1\tc\tc\tX\t_\t_\t0", "1\tc\tc\tX\t_\t_\t9"), encoding="utf-8")


def run_action(repository, base="", **inputs):
    """Run the step that checks, as the runner of GitHub does, in a pull request from `base`."""
    values = {f"inputs.{name}": str(one["default"]) for name, one in ACTION["inputs"].items()}
    values |= {f"inputs.{name.replace('_', '-')}": value for name, value in inputs.items()}
    place = repository.parent / "runner"
    values |= {"runner.temp": str(place), "github.event.pull_request.base.sha": base}
    program = place / "treegauge" / "bin" / "treegauge"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(TREEGAUGE, encoding="utf-8")
    program.chmod(0o755)
    step = ACTION["runs"]["steps"][1]
    environment = {name: EXPRESSION.sub(lambda m: values[m[1]], text) for name, text in step["env"].items()}
    script = repository.parent / "script.sh"
    script.write_text(step["run"], encoding="utf-8")
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
        cwd=repository, env=os.environ | environment, capture_output=True, text=True,
    )  # fmt: skip


def annotations(done):
    """The lines that GitHub shows beside files: severity, file and line."""
    pattern = r"^::(error|warning) file=([^,]+),line=(\d+)"
    return [(m[1], m[2], int(m[3])) for m in re.finditer(pattern, done.stdout, re.MULTILINE)]


def errors(done):
    return [line for severity, _, line in annotations(done) if severity == "error"]


def test_the_action_is_one_of_two_steps_in_bash():
    install, check = ACTION["runs"]["steps"]
    assert ACTION["runs"]["using"] == "composite"
    assert {install["shell"], check["shell"]} == {"bash"}
    assert install["run"].splitlines() == [
        'python3 -m venv "$PLACE"',
        '"$PLACE/bin/python" -m pip install --quiet --disable-pip-version-check "$ACTION"',
    ]
    assert install["env"]["ACTION"] == "${{ github.action_path }}"
    assert install["env"]["PLACE"] == check["env"]["PLACE"]


def test_no_input_is_pasted_into_a_script():
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"]
    used = {m for step in ACTION["runs"]["steps"] for value in step["env"].values() for m in EXPRESSION.findall(value)}
    assert {name for name in used if name.startswith("inputs.")} == {f"inputs.{name}" for name in ACTION["inputs"]}


def test_without_a_pull_request_all_problems_are_shown(repository):
    done = run_action(repository)
    assert done.returncode == 1, done.stderr
    assert errors(done)[0] == 3
    assert {file for _, file, _ in annotations(done)} == {"x_y-ud-test.conllu"}


def test_in_a_pull_request_only_changed_sentences_are_shown(repository):
    base = git(repository, "rev-parse", "HEAD")
    git(repository, "checkout", "-q", "-b", "mine")
    (repository / "README.md").write_text("A treebank.\n", encoding="utf-8")
    git(repository, "add", "README.md")
    git(repository, "commit", "-q", "-m", "words")
    untouched = run_action(repository, base)
    assert (untouched.returncode, annotations(untouched)) == (0, []), untouched.stdout
    break_second(repository)
    git(repository, "commit", "-q", "-a", "-m", "second")
    done = run_action(repository, base)
    assert done.returncode == 1
    assert errors(done)
    assert set(errors(done)) == {8}  # the changed word
    everything = run_action(repository, base, changed="all")
    assert set(errors(everything)) > set(errors(done))


def test_what_a_change_breaks_elsewhere_is_shown_beside_the_change(repository):
    base = git(repository, "rev-parse", "HEAD")
    file = repository / "x_y-ud-test.conllu"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("# text = c d", "# text = c e"), encoding="utf-8")
    done = run_action(repository, base, ud_level="2")
    assert set(errors(done)) == {7}, done.stdout
    assert "::line 9: found" in done.stdout


def test_a_shallow_clone_fetches_the_target(repository, tmp_path):
    git(repository, "checkout", "-q", "-b", "mine")
    base = git(repository, "rev-parse", "main")
    break_second(repository)
    git(repository, "commit", "-q", "-a", "-m", "second")
    git(repository, "config", "uploadpack.allowAnySHA1InWant", "true")
    clone = tmp_path / "clone" / "UD_X-Y"
    clone.parent.mkdir()
    git(tmp_path, "clone", "-q", "--depth=1", "-b", "mine", f"file://{repository}", str(clone))
    done = run_action(clone, base)
    assert done.returncode == 1, done.stderr
    assert errors(done)
    assert set(errors(done)) == {8}


@pytest.mark.parametrize(("fail_on", "code"), [("error", 1), ("warning", 1), ("never", 0)])
def test_what_fails_the_step(repository, fail_on, code):
    assert run_action(repository, fail_on=fail_on).returncode == code


def test_mistakes_in_the_inputs_fail_the_step_whatever_is_asked(repository):
    wrong = run_action(repository, fail_on="sometimes")
    assert (wrong.returncode, "found sometimes" in wrong.stdout) == (2, True)
    assert run_action(repository, files="nothing.conllu", fail_on="never").returncode == 2
    assert run_action(repository, changed="nowhere", fail_on="never").returncode not in {0, 1}


def test_known_problems_are_not_shown_again(repository):
    from tests.commands import invoke

    baseline = repository / "known.json"
    file = repository / "x_y-ud-test.conllu"
    invoke(["check", str(file), "--ud-level", "3", "--write-baseline", str(baseline)])
    done = run_action(repository, baseline="known.json", files=file.name)
    assert (done.returncode, errors(done)) == (0, []), done.stdout


def test_files_are_patterns_separated_by_white_space(repository):
    done = run_action(repository, files="*-dev.conllu\n  x_y-ud-test.conllu", ud_level="1")
    assert done.returncode == 2, done.stdout  # the first pattern matches nothing
    done = run_action(repository, files=" *-test.conllu ", ud_level="2")
    assert done.returncode == 1
    assert errors(done)


@pytest.fixture
def hooked(repository, tmp_path):
    """The repository with the hook installed, from a copy in which nothing needs a network."""
    pytest.importorskip("pre_commit")
    home = tmp_path / "hooks"
    home.mkdir()
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    assert "language: python\n" in text
    text = text.replace("language: python\n", "language: system\n")
    (home / ".pre-commit-hooks.yaml").write_text(text, encoding="utf-8")
    git(home, "init", "-q", "-b", "main")
    git(home, "add", ".pre-commit-hooks.yaml")
    git(home, "-c", "commit.gpgsign=false", "commit", "-q", "-m", "hooks")
    entry = {"repo": str(home), "rev": git(home, "rev-parse", "HEAD"), "hooks": [{"id": HOOK["id"]}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [entry]}), encoding="utf-8")
    git(repository, "add", ".pre-commit-config.yaml")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "treegauge").write_text(TREEGAUGE, encoding="utf-8")
    (programs / "treegauge").chmod(0o755)
    return repository


def pre_commit(repository, *words):
    environment = (
        os.environ
        | IDENTITY
        | {
            "PRE_COMMIT_HOME": str(repository.parent / "cache"),
            "PATH": f"{repository.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
        }
    )
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", "--color=never", *words],
        cwd=repository, env=environment, capture_output=True, text=True,
    )  # fmt: skip


def test_the_hook_stops_a_commit_with_a_new_problem(hooked):
    before = pre_commit(hooked)
    assert before.returncode == 0, before.stdout  # the old error is not in what changes
    break_second(hooked)
    git(hooked, "add", "x_y-ud-test.conllu")
    done = pre_commit(hooked)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "exit code: 1" in done.stdout
    assert "sent_id mine" in done.stdout
    assert "sent_id old" not in done.stdout


def test_the_hook_looks_at_treebanks_only(hooked):
    (hooked / "README.md").write_text("1\tnot\n", encoding="utf-8")
    git(hooked, "add", "README.md")
    assert "Skipped" in pre_commit(hooked).stdout
    assert re.search(HOOK["files"], "x_y-ud-test.conllu")


def test_the_page_says_what_the_files_say():
    page = (ROOT / "docs" / "howto" / "repository.md").read_text(encoding="utf-8")
    workflow, config = (yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```", page, re.S | re.M))
    uses = [step["uses"] for step in workflow["jobs"]["check"]["steps"]]
    assert uses == ["actions/checkout@v4", "treegauge/treegauge@main"]
    assert [hook["id"] for hook in config["repos"][0]["hooks"]] == [HOOK["id"]]
    inputs = re.findall(r"^\| `([\w-]+)` \|", page, re.M)
    assert inputs == list(ACTION["inputs"])
    assert f"[{', '.join(HOOK['args'])}]" in page
