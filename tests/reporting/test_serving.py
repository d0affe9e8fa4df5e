"""A served page: for this machine only, made again when inputs change, ended by Ctrl-C."""

import http.client
import re
from urllib.parse import urlsplit

import pytest

from tests.commands import invoke
from treegauge.core.errors import TreegaugeError
from treegauge.reporting.page import Section, page
from treegauge.reporting.serving import PageServer, keep_serving, served_page, watched_files

ONE, TWO = (page("t", text, [Section("a", "A", "below")]) for text in ("first", "second"))


@pytest.fixture
def server():
    with PageServer(ONE) as running:
        yield running


def get(server, path="/", host=None):
    """Return status, headers and connection of a request, with the body still to be read."""
    asked = urlsplit(server.url)
    connection = http.client.HTTPConnection(asked.hostname, asked.port, timeout=10)
    connection.request("GET", path, headers={} if host is None else {"Host": host})
    return connection.getresponse()


def test_the_page_is_served_to_this_machine_only(server):
    assert server.url.startswith("http://127.0.0.1:")
    found = get(server)
    text = found.read().decode()
    assert (found.status, found.getheader("Cache-Control")) == (200, "no-store")
    assert "first" in text
    assert "EventSource" in text
    assert get(server, "/etc/passwd").status == 404
    assert get(server, host="evil.example").status == 403


def test_the_policy_allows_the_reload_and_no_more():
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', served_page(ONE))[1]
    rules = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert rules["connect-src"] == "'self'"
    assert rules["default-src"] == "'none'"
    assert len(re.findall(r"'sha256-", rules["script-src"])) == 2
    assert "unsafe" not in policy
    assert "connect-src" not in ONE
    assert "EventSource" not in ONE


def test_browsers_hear_of_a_new_page(server):
    events = get(server, "/events")
    assert events.getheader("Content-Type") == "text/event-stream"
    first = events.fp.readline()
    server.show(TWO)
    events.fp.readline()
    second = events.fp.readline()
    assert first.startswith(b"data: ")
    assert first != second
    text = get(server).read().decode()
    assert "second" in text
    assert f'content="{second.decode().split()[1]}"' in text


class Scripted:
    """A wait that does one thing each time, and ends as Ctrl-C does."""

    def __init__(self, *steps):
        self.steps = list(steps)

    def __call__(self, seconds):
        if not self.steps:
            raise KeyboardInterrupt
        self.steps.pop(0)()


def test_a_change_of_an_input_makes_the_page_again(server, tmp_path):
    file, own = tmp_path / "a.conllu", tmp_path / "page.html"
    file.write_text("1")
    made = []

    def make():
        made.append(file.read_text())
        if made[-1] == "broken":
            raise TreegaugeError("no tree")
        return TWO

    def nothing():
        pass

    pause = Scripted(
        nothing,
        lambda: own.write_text("the page itself"),
        lambda: file.write_text("broken"), nothing,
        lambda: file.write_text("22"), nothing,
    )  # fmt: skip
    keep_serving(server, make, [tmp_path], pause=pause, apart=own)
    assert made == ["broken", "22"]
    assert "second" in get(server).read().decode()


def test_folders_and_named_files_are_watched(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "a.txt").write_text("x")
    (tmp_path / "b.txt").write_text("xy")
    found = watched_files([tmp_path / "inner", f"mine={tmp_path / 'b.txt'}", "conll18", 5])
    assert {path.name: size for path, (_, size) in found.items()} == {"a.txt": 1, "b.txt": 2}


@pytest.fixture
def heard(monkeypatch):
    """What a served page says."""
    said = []
    monkeypatch.setattr("treegauge.reporting.serving.note", said.append)
    return said


def test_names_and_patterns_are_watched_with_files_that_come_later(tmp_path, monkeypatch):
    home = tmp_path / "r2.5" / "UD_Greek-GDT"
    home.mkdir(parents=True)
    (home / "el_gdt-ud-test.conllu").write_text("x")
    monkeypatch.setenv("TREEGAUGE_UD", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.conllu").write_text("1")

    def names(*sources):
        return sorted(path.name for path in watched_files(sources))

    assert names("UD_Greek-GDT@2.5") == names("el_gdt") == ["el_gdt-ud-test.conllu"]
    assert names("*.conllu") == names(str(tmp_path / "*.conllu")) == ["a.conllu"]
    (tmp_path / "b.conllu").write_text("2")
    (home / "el_gdt-ud-dev.conllu").write_text("y")
    assert names("*.conllu") == ["a.conllu", "b.conllu"]
    assert len(names("UD_Greek-GDT@2.5", "r2.5")) == 2
    (tmp_path / "a.conllu").unlink()
    assert names("*.conllu", "a.conllu") == ["b.conllu"]


def test_a_new_file_of_a_pattern_makes_the_page_again(server, tmp_path, heard):
    (tmp_path / "a.conllu").write_text("1")
    made = []

    def make():
        made.append(sorted(path.name for path in tmp_path.iterdir()))
        return TWO

    pause = Scripted(lambda: (tmp_path / "b.conllu").write_text("2"), lambda: None)
    keep_serving(server, make, [str(tmp_path / "*.conllu"), "conll18"], pause=pause)
    assert made == [["a.conllu", "b.conllu"]]
    assert heard[0] == f"watching one file: {tmp_path / 'a.conllu'}"


def test_nothing_to_watch_is_said(server, heard):
    keep_serving(server, lambda: TWO, ["conll18", 5], pause=Scripted())
    assert heard[0] == "no input is a file: the page is served but will not be updated"


def test_a_port_that_is_taken_is_refused(server):
    port = urlsplit(server.url).port
    with pytest.raises(TreegaugeError, match="choose another with --serve=PORT"):
        PageServer(ONE, port)


@pytest.mark.parametrize("switch", ["--serve", "--serve=0"])
def test_the_command_serves_until_it_is_interrupted(small, tmp_path, monkeypatch, switch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("time.sleep", Scripted())
    target = tmp_path / "page.html"
    words = ["report", str(small / "scores.csv"), "-o", str(target), "--subsets", "50"]
    result = invoke([*words, switch])
    assert result.exit_code == 0, result.output
    assert target.is_file()
    assert "serving http://127.0.0.1:" in result.output
    assert len(opened) == (switch == "--serve")
