"""The page's modules: their own tests, run by node, and what the bundle may hold."""

import shutil
import subprocess
from pathlib import Path

import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.reporting import page as bundle

HOME = Path(__file__).parent / "js"
ASSETS = Path(bundle.__file__).parent / "assets"
MODULES = sorted(ASSETS.glob("*/*.js"))
MOST_LINES = 300


def test_modules_pass_their_own_tests():
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on the path: apt-get install nodejs")
    tests = sorted(map(str, HOME.glob("*.test.js")))
    done = subprocess.run([node, "--test", *tests], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
    assert "# pass 0" not in done.stdout


def test_every_module_is_in_the_page_and_none_is_long():
    script = bundle.script()
    for file in MODULES:
        name = file.relative_to(ASSETS).as_posix()
        assert f"const {bundle._variable(name)} = " in script, f"{name} is never imported"
        assert len(file.read_text().splitlines()) <= MOST_LINES, name


@pytest.mark.parametrize("line", ['import x from "./x.js";', 'import "./x.js";', "export default 1;", "export { x };"])
def test_other_forms_of_modules_are_refused(line):
    with pytest.raises(TreegaugeError, match="expected import"):
        bundle._wrapped("shell/a.js", f"{line}\n")


def test_modules_that_import_each_other_are_refused(monkeypatch):
    texts = {"shell/main.js": 'import { a } from "../a/a.js";\n', "a/a.js": 'import { b } from "../shell/main.js";\n'}
    monkeypatch.setattr(bundle, "asset", texts.__getitem__)
    with pytest.raises(TreegaugeError, match=r"shell/main\.js > a/a\.js > shell/main\.js"):
        bundle.script()


def test_the_script_uses_nothing_that_could_run_text_or_fetch():
    script = bundle.script()
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "fetch(", "setTimeout",
                 "XMLHttpRequest", "document.write", "import("):  # fmt: skip
        assert word not in script, word
