"""What only some systems have stays in one file, which works with and without it."""

import ast
import errno
import io
import os
import re
import sys
import types
from pathlib import Path

import pytest

from treegauge.core import platforms
from treegauge.core.files import atomic
from treegauge.treebanks.data.conllu import parse_conllu, read_conllu
from treegauge.treebanks.sources.resolver import find

SOURCE = Path(__file__).parents[1] / "src" / "treegauge"
HOME = SOURCE / "core" / "platforms.py"
MODULES = {
    "fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "posix", "syslog", "crypt",
    "msvcrt", "winreg", "winsound", "_winapi", "nt",
}  # fmt: skip
NAMES = {
    "os.fork", "os.forkpty", "os.killpg", "os.setsid", "os.setpgid", "os.getpgid", "os.getuid",
    "os.geteuid", "os.getgid", "os.umask", "os.chown", "os.mkfifo", "os.mknod", "os.sync",
    "os.sysconf", "os.uname", "os.getloadavg", "os.sched_getaffinity", "os.wait", "os.waitpid",
    "os.name", "os.rename", "os.nice", "os.ctermid", "sys.platform", "signal.SIGKILL",
    "signal.SIGHUP", "signal.SIGALRM", "signal.SIGUSR1", "signal.SIGCHLD", "signal.SIGPIPE",
    "signal.alarm", "signal.pause", "signal.setitimer",
}  # fmt: skip
PLACES = re.compile(r"(/dev/|/proc/|/tmp|/var/|/etc/|[A-Za-z]:\\)")
SUSPECT = re.compile(
    rf"\b({'|'.join([*MODULES, *NAMES, 'preexec_fn', 'start_new_session'])})\b"
    rf"|from (os|signal|sys) import|{PLACES.pattern}"
)
#: Named for the signature of results, not to act by it.
ALLOWED = {("experiments/tasks.py", "sys.platform")}


def dotted(node: ast.AST) -> str:
    """Return ``os.name`` of an attribute of a module, empty for other expressions."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


def platform_uses(source: str) -> list[str]:
    """Return what a source uses that only some systems have."""
    found = []
    if not SUSPECT.search(source):
        return found
    tree = ast.parse(source)
    docstrings = {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name in MODULES]
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            found.append(node.module)
        elif isinstance(node, ast.ImportFrom) and node.module in {"os", "signal", "sys"}:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [name for name in names if name in NAMES]
        elif dotted(node) in NAMES:
            found.append(dotted(node))
        elif isinstance(node, ast.keyword) and node.arg in {"preexec_fn", "start_new_session"}:
            found.append(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found += [node.value] * (node not in docstrings and bool(PLACES.match(node.value)))
    return found


def texts_without_encoding(source: str) -> list[int]:
    """Return the lines that open text in whatever encoding the system has."""
    lines = []
    for node in ast.walk(ast.parse(source if "open(" in source or "_text(" in source else "")):
        if not isinstance(node, ast.Call) or any(key.arg == "encoding" for key in node.keywords):
            continue
        words = [one.value for one in node.args if isinstance(one, ast.Constant)]
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        reads = called in {"read_text", "write_text"} and words[:1] != ["utf-8"]
        opens = called == "open" and bool({"r", "w", "a", "x", "a+"} & set(words))
        plain = isinstance(node.func, ast.Name) and node.func.id == "open"
        plain = plain and not {"rb", "wb", "ab", "xb"} & set(words)
        if reads or opens or plain:
            lines.append(node.lineno)
    return lines


@pytest.mark.parametrize(
    "source",
    [
        "import fcntl", "def f():\n    from resource import getrlimit", "import os\nos.fork()",
        "os.killpg(1, 9)", "signal.SIGKILL", "from os import umask", "open('/dev/null')",
        "subprocess.Popen([], start_new_session=True)", "Path('/proc/self/statm')",
    ],
)  # fmt: skip
def test_a_use_of_one_system_is_noticed(source):
    assert platform_uses(source)


def test_only_one_file_knows_operating_systems():
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        uses = [one for one in platform_uses(path.read_text(encoding="utf-8")) if (name, one) not in ALLOWED]
        if uses and path != HOME:
            found[name] = uses
    assert not found, f"move these to core/platforms.py: {found}"


def test_text_files_are_opened_in_utf8():
    found = {
        path.relative_to(SOURCE).as_posix(): lines
        for path in sorted(SOURCE.rglob("*.py"))
        if (lines := texts_without_encoding(path.read_text(encoding="utf-8")))
    }
    assert not found
    assert texts_without_encoding("path.read_text()\nopen('a')\nPath('a').open('w')") == [1, 2, 3]


# ------------------------------------------------------------------------------- fakes of Windows


class FakeLocks(types.ModuleType):
    """Windows' locks of one byte, as one process sees those of all."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        super().__init__("msvcrt")
        self.held: set[int] = set()

    def locking(self, descriptor: int, mode: int, size: int) -> None:
        assert (mode, size) == (self.LK_NBLCK, 1)
        where = os.fstat(descriptor).st_ino
        if where in self.held:
            raise OSError(errno.EDEADLK, "locked")
        self.held.add(where)


@pytest.fixture
def windows(monkeypatch) -> FakeLocks:
    """A system without what POSIX has."""
    locks = FakeLocks()
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "resource", None)
    monkeypatch.setitem(sys.modules, "msvcrt", locks)
    for name in ("killpg", "setsid", "sched_getaffinity", "getloadavg", "sysconf"):
        monkeypatch.delattr(platforms.os, name, raising=False)
    monkeypatch.setattr(platforms, "time", types.SimpleNamespace(sleep=lambda _: None))
    return locks


def test_locks_of_windows_hold_one_byte_behind_the_text(windows, tmp_path):
    path = tmp_path / "lock"
    with path.open("a+", encoding="utf-8") as first, path.open("a+", encoding="utf-8") as second:
        assert platforms.take_lock(first)
        assert not platforms.take_lock(second)
        first.write("process 1\n")
        first.flush()
        assert path.read_text(encoding="utf-8") == "process 1\n"


def test_a_system_without_locks_takes_all_of_them(windows, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "msvcrt", None)
    with (tmp_path / "lock").open("a+", encoding="utf-8") as file:
        assert platforms.take_lock(file)


def test_a_store_is_locked_on_windows(windows, tmp_path):
    from treegauge.experiments.ledger import BusyError, locked

    lock = tmp_path / "lock"
    busy = pytest.raises(BusyError, match="in use by process")
    with locked(lock, "store s"), busy, locked(lock, "store s"):
        pass


def test_processes_and_memory_without_posix(windows):
    assert platforms.processors() >= 1
    assert platforms.end_group(1) is False
    platforms.lead_group()
    with pytest.raises(platforms.TreegaugeError, match="cannot be limited"):
        platforms.confine_memory(1)


@pytest.mark.parametrize(("failures", "system", "works"), [(3, "nt", True), (9, "nt", False), (1, "posix", False)])
def test_a_file_that_is_open_elsewhere_is_replaced_later(failures, system, works, windows, monkeypatch, tmp_path):
    left = [failures]
    replace = Path.replace

    def refusing(self, target):
        if left[0]:
            left[0] -= 1
            raise PermissionError(errno.EACCES, "in use", str(target))
        return replace(self, target)

    target = tmp_path / "a.txt"
    target.write_text("old", encoding="utf-8")
    monkeypatch.setattr(Path, "replace", refusing)
    monkeypatch.setattr(platforms, "os", types.SimpleNamespace(name=system, umask=os.umask))

    def write() -> None:
        with atomic(target) as file:
            file.write(b"new")

    if works:
        write()
    else:
        with pytest.raises(PermissionError):
            write()
    assert target.read_text(encoding="utf-8") == ("new" if works else "old")
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
def test_streams_print_utf8_whatever_the_system_prefers(encoding, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding, newline="\r\n")
    monkeypatch.setattr(sys, "stdout", stream)
    platforms.use_utf8_streams()
    print("Ελληνικά ≤ \udcff")
    stream.flush()
    assert stream.buffer.getvalue() == "Ελληνικά ≤ \\udcff\n".encode()


# ----------------------------------------------------------------------- line ends and file names


def test_line_ends_of_windows_are_read_and_kept():
    text = b"# text = \xc3\xa4\r\n1\t\xc3\xa4\t_\tX\t_\t_\t0\troot\t_\t_\r\n\r\n"
    treebank = parse_conllu(text)
    assert treebank["form"].to_list() == ["ä"]
    assert treebank.to_bytes() == text


@pytest.mark.parametrize(
    "name", ["nul", "NUL.conllu", "com1", "Lpt9.txt", "aux.", "a:b", "C:", "a\\b", "x ", "", "a\0"]
)
def test_names_that_windows_takes_for_something_else(name):
    assert not platforms.portable_name(name)


@pytest.mark.parametrize("name", ["el_gdt-ud-test.conllu", "ä.txt", "com10.txt", "null", ".hidden"])
def test_names_that_all_systems_take(name):
    assert platforms.portable_name(name)


@pytest.mark.parametrize("name", ["Ä.conllu", "A\u0308.conllu"], ids=["NFC", "NFD"])
def test_names_with_accents_are_found_as_they_are(name, tmp_path):
    (tmp_path / name).write_bytes(b"1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    (path,) = find(tmp_path)
    assert read_conllu(path).n_words == 1


def test_an_output_in_other_letters_is_the_same_file(tmp_path):
    """As on macOS and Windows, where A.conllu is a.conllu: names differ, the file does not."""
    import treegauge as tg

    gold = tmp_path / "a.conllu"
    gold.write_bytes(b"1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    os.link(gold, tmp_path / "A.CONLLU")
    with pytest.raises(platforms.TreegaugeError, match="is an input"):
        tg.convert(gold, out=tmp_path / "A.CONLLU")
