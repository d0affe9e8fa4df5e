"""The GitHub Action and the pre-commit hook do in a repository what their files say."""

import json
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


def run_step(number, folder, place, base="", path="", system="Linux", **inputs):
    """Run a step as the runner of GitHub does, with files for its outputs and its summary."""
    values = {f"inputs.{name}": str(one["default"]) for name, one in ACTION["inputs"].items()}
    values |= {f"inputs.{name.replace('_', '-')}": value for name, value in inputs.items()}
    values |= {"runner.temp": str(place), "github.event.pull_request.base.sha": base}
    values |= {"runner.os": system, "github.action_path": str(ROOT)}
    step = ACTION["runs"]["steps"][number]
    environment = {name: EXPRESSION.sub(lambda m: values[m[1]], text) for name, text in step["env"].items()}
    environment |= {name: str(place / name) for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        (place / name).unlink(missing_ok=True)
    script = place / "script.sh"
    script.write_text(step["run"], encoding="utf-8")
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)], cwd=folder, text=True,
        env=os.environ | environment | {"PATH": os.pathsep.join(filter(None, (path, os.environ["PATH"])))},
        capture_output=True,
    )  # fmt: skip


def program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def run_action(repository, base="", **inputs):
    """Run the step that checks in a pull request from `base`."""
    place = repository.parent / "runner"
    folder = "Scripts" if inputs.get("system") == "Windows" else "bin"
    program(place / "treegauge" / folder / "python", f'exec {sys.executable} "$@"')
    return run_step(1, repository, place, base, **inputs)


def summary(repository):
    return (repository.parent / "runner" / "GITHUB_STEP_SUMMARY").read_text(encoding="utf-8")


def outputs(repository):
    lines = (repository.parent / "runner" / "GITHUB_OUTPUT").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)


def annotations(done):
    """The lines that GitHub shows beside files: severity, file and line."""
    pattern = r"^::(error|warning) file=([^,]+),line=(\d+)"
    return [(m[1], m[2], int(m[3])) for m in re.finditer(pattern, done.stdout, re.MULTILINE)]


def errors(done):
    return [line for severity, _, line in annotations(done) if severity == "error"]


PIP = """for word; do case "$word" in
--only-binary*) echo "wheel $*" >> log; exit WHEEL ;; esac; done
echo "source $*" >> log"""


@pytest.mark.parametrize(("system", "name", "folder"), [("Linux", "python3", "bin"), ("macOS", "python3", "bin"),
                                                        ("Windows", "python", "Scripts")])  # fmt: skip
@pytest.mark.parametrize(
    ("version", "wheel", "expected"),
    [("", 0, ["wheel"]), ("0.1.0", 0, ["wheel"]), ("", 1, ["wheel", "source"]), ("source", 0, ["source"])],
)
def test_a_wheel_is_installed_else_the_source_is_compiled(tmp_path, system, name, folder, version, wheel, expected):
    """In an environment made by the runner's Python, whose pip finds a wheel or does not."""
    place = tmp_path / "runner"
    place.mkdir()
    pip = f"{place}/treegauge/{folder}/python"
    program(tmp_path / "own" / "python", PIP.replace("WHEEL", str(wheel)))
    made = f'mkdir -p "$(dirname {pip})" && cp {tmp_path}/own/python {pip}'
    program(tmp_path / "path" / name, f'test "$1 $2 $3" = "-m venv {place}/treegauge" && {made}')
    done = run_step(0, tmp_path, place, path=str(tmp_path / "path"), system=system, version=version)
    assert done.returncode == 0, done.stderr
    log = (tmp_path / "log").read_text().splitlines()
    assert [line.split()[0] for line in log] == expected
    own = re.search(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.M)[1]
    if expected[0] == "wheel":
        assert log[0].endswith(f"--only-binary=:all: treegauge=={version or own}")
    if "source" in expected:
        assert log[-1].endswith(f"install --quiet --disable-pip-version-check {ROOT}")
    assert ("compiling the Action's source" in done.stdout) == (expected == ["wheel", "source"])


def test_steps_run_in_bash_and_actions_are_named_by_digest():
    install, check, upload = ACTION["runs"]["steps"]
    assert ACTION["runs"]["using"] == "composite"
    assert {install["shell"], check["shell"]} == {"bash"}
    assert re.fullmatch(r"github/codeql-action/upload-sarif@[0-9a-f]{40}", upload["uses"])
    assert upload["if"] == "${{ always() && inputs.sarif == 'true' && steps.check.outputs.sarif != '' }}"
    assert install["env"]["PLACE"] == check["env"]["PLACE"]
    assert {one["value"] for one in ACTION["outputs"].values()} == {
        f"${{{{ steps.check.outputs.{name} }}}}" for name in ("errors", "warnings", "sarif", "badge")
    }


def test_no_input_is_pasted_into_a_script():
    steps = [step for step in ACTION["runs"]["steps"] if "run" in step]
    for step in steps:
        assert "${{" not in step["run"]
    used = {m for step in steps for value in step["env"].values() for m in EXPRESSION.findall(value)}
    assert {name for name in used if name.startswith("inputs.")} == {
        f"inputs.{name}" for name in ACTION["inputs"] if name != "sarif"
    }


def test_windows_has_other_names(repository):
    done = run_action(repository, system="Windows")
    assert (done.returncode, errors(done)[:1]) == (1, [3]), done.stderr


def test_annotations_keep_the_limit_and_show_each_test(repository):
    """The platform shows ten errors and ten warnings of a step."""
    many = "".join(sentence(f"s{i}", "a", "b", head="7") for i in range(40))
    fixed = many + sentence("last", "e").replace("\tX\t", "\tXX\t")
    (repository / "x_y-ud-test.conllu").write_text(fixed, encoding="utf-8")
    done = run_action(repository)
    assert len(errors(done)) == 10
    assert max(errors(done)) == fixed.count("\n") - 1  # the unknown tag comes last and is shown
    assert "::notice title=treegauge::31 more problems" in done.stdout
    assert done.stdout.count("unknown-head") == 40
    assert "| `unknown-head` | 2 error | 40 | x\\_y-ud-test.conllu:3" in summary(repository)
    assert len(json.loads(Path(outputs(repository)["sarif"]).read_text())["runs"][0]["results"]) == 41
    assert json.loads(Path(outputs(repository)["badge"]).read_text()) == {
        "schemaVersion": 1, "label": "UD level 3", "message": "41 errors, 0 warnings", "color": "red",
    }  # fmt: skip
    assert (outputs(repository)["errors"], outputs(repository)["warnings"]) == ("41", "0")


def test_the_summary_has_the_trend_since_the_last_release(repository):
    for tag in ("r2.9", "r2.10", "other"):
        git(repository, "tag", tag)
    break_second(repository)
    (repository / "not-to-release").mkdir()
    (repository / "not-to-release" / "checks.toml").write_text(
        '[[check]]\nname = "one-word"\nfind = "head=root !> []"\nmessage = "one word"\n'
    )
    done = run_action(repository, ud_level="2")
    assert done.returncode == 1, done.stderr
    text = summary(repository)
    assert "| test | level | problems | in r2.10 | change | first |" in text
    assert "| `unknown-head` | 2 error | 2 | 1 | +1 | x\\_y" in text
    assert "| `one-word` | 6 warning | 1 | 1 | 0 |" in text  # today's own check, in the old sentences, too
    run_action(repository, ud_level="2", release="r2.9")
    assert "| in r2.9 |" in summary(repository)
    run_action(repository, ud_level="2", release="none")
    assert "change" not in summary(repository)
    wrong = run_action(repository, release="r9")
    assert (wrong.returncode, "does not know the tag 'r9'" in wrong.stdout) == (2, True)


def test_tags_of_a_shallow_clone_are_fetched(repository, tmp_path):
    git(repository, "tag", "r2.17")
    break_second(repository)
    git(repository, "commit", "-q", "-a", "-m", "second")
    clone = tmp_path / "clone" / "UD_X-Y"
    clone.parent.mkdir()
    git(tmp_path, "clone", "-q", "--depth=1", "--no-tags", f"file://{repository}", str(clone))
    assert run_action(clone, ud_level="2").returncode == 1
    assert "| `unknown-head` | 2 error | 2 | 1 | +1 |" in summary(clone)


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


TEMPLATE = ROOT / "docs" / "template"
GREEK = [("σκύλοι", "NOUN", 2, "nsubj"), ("κοιμούνται", "VERB", 0, "root"), ("σήμερα", "ADV", 2, "advmod"),
         ("εδώ", "ADV", 2, "advmod"), (".", "PUNCT", 2, "punct")]  # fmt: skip


def greek(number, rows=GREEK):
    """A sentence that is valid at level 5."""
    lines = [f"# sent_id = g{number}", f"# text = {' '.join(form for form, *_ in rows)}"]
    for n, (form, upos, head, deprel) in enumerate(rows, 1):
        lines.append(f"{n}\t{form}\t{form}\t{upos}\t_\t_\t{head}\t{deprel}\t_\t_")
    return "\n".join(lines) + "\n\n"


def test_the_template_is_a_repository_that_can_be_released(tmp_path):
    """With data, its workflow finds nothing; the same workflow finds its own check and a missing README."""
    folder = tmp_path / "UD_Greek-GDT"
    shutil.copytree(TEMPLATE, folder)
    file = folder / "el_gdt-ud-test.conllu"
    file.write_text("".join(map(greek, range(25))), encoding="utf-8")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "-c", "commit.gpgsign=false", "commit", "-qm", "first")
    git(folder, "tag", "r2.17")
    workflow = yaml.safe_load((folder / ".github" / "workflows" / "check.yml").read_text())
    check = next(step for step in workflow["jobs"]["check"]["steps"] if "with" in step)
    assert check["with"].keys() <= ACTION["inputs"].keys()
    assert workflow["permissions"]["security-events"] == "write"
    inputs = {name.replace("-", "_"): value for name, value in check["with"].items()}
    done = run_action(folder, **inputs)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 errors, 0 warnings" in done.stdout
    assert "UD_Greek-GDT: valid" in summary(folder)
    assert json.loads(Path(outputs(folder)["badge"]).read_text())["message"] == "valid"
    noun = [(form, "NOUN" if n == 1 else upos, *rest) for n, (form, upos, *rest) in enumerate(GREEK)]
    file.write_text(file.read_text(encoding="utf-8") + greek(99, noun), encoding="utf-8")
    (folder / "README.md").unlink()
    later = run_action(folder, **inputs)
    assert later.returncode == 1
    assert "| `subject-of-noun` | 6 warning | 1 | 0 | +1 | el" in summary(folder)
    assert "| `readme` | 0 error | 1 | 0 | +1 |" in summary(folder)
    config = yaml.safe_load((folder / ".pre-commit-config.yaml").read_text())
    assert [hook["id"] for hook in config["repos"][0]["hooks"]] == [HOOK["id"]]
