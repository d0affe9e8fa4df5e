"""Reports of problems: annotations of GitHub, SARIF, and baselines."""

import json
import re

import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.validation.new_problems import compare_with_baseline, key, read_baseline, write_baseline
from treegauge.validation.problems import BY_ID, Problem, ProblemList
from treegauge.validation.report import ValidationReport

HEAD = Problem("a b.conllu", 7, "s1", "2", "unknown-head", 5, 6, "HEAD '9'")
TEXT = Problem("a b.conllu", 2, "s1", None, "missing-text", 1, 1, "100 %,\r\nno: text")
FIXED = Problem("a b.conllu", 9, "s2", "4", "fixed-without-extpos", 1, 4, "FEATS '_'")


def report(*problems: Problem, **more: object) -> ValidationReport:
    errors = sum(one.severity == "error" for one in problems)
    numbers = errors, len(problems) - errors
    return ValidationReport(("a b.conllu",), ProblemList(problems), *numbers, 3, "treegauge:x", **more)  # type: ignore[arg-type]


def test_github_reads_the_messages_back():
    *lines, summary = report(TEXT, FIXED).to_github().split("\n")
    assert summary == "a b.conllu: 1 error, 1 warning"
    first, second = (re.fullmatch(r"::(\w+) ([^:]*)::(.*)", line) for line in lines)
    assert first[2] == "file=a b.conllu,line=2,col=1,title=L2 missing-text"
    assert first[3].startswith("found 100 %25,%0D%0Ano: text, expected ")
    assert second[1] == "warning"
    assert second[2] == "file=a b.conllu,line=9,col=1,endColumn=4,title=L3 fixed-without-extpos"


def test_sarif_has_all_that_the_schema_requires(tmp_path):
    report(HEAD, TEXT, HEAD, FIXED, language_data="2026-10-22").save(tmp_path / "x.sarif")
    log = json.loads((tmp_path / "x.sarif").read_text(encoding="utf-8"))
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "treegauge"
    assert [rule["id"] for rule in driver["rules"]] == [HEAD.id, TEXT.id, FIXED.id]
    assert run["properties"]["languageData"] == "2026-10-22"
    for result, problem in zip(run["results"], (HEAD, TEXT, HEAD, FIXED), strict=True):
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == problem.id
        assert result["level"] == problem.severity
        assert problem.message in result["message"]["text"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "a%20b.conllu"
        assert place["region"]["startLine"] == problem.line
        assert place["region"].get("endColumn", 2) > place["region"]["startColumn"] >= 1
    marks = [one["partialFingerprints"]["treegaugeProblem/v1"] for one in run["results"]]
    assert len(set(marks)) == 4


def test_fingerprints_do_not_depend_on_lines():
    logs = [
        json.loads(report(HEAD._replace(line=line, file=file)).to_sarif())
        for line, file in ((7, "a.conllu"), (70, "/tmp/b.conllu"))
    ]
    one, two = (log["runs"][0]["results"][0] for log in logs)
    assert one["partialFingerprints"] == two["partialFingerprints"]
    uri = two["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "file:///tmp/b.conllu"


def test_json_has_the_agreed_fields():
    found = report(HEAD).to_dict()
    assert set(found["problems"][0]) >= {
        "file", "line", "sent_id", "node", "level", "class", "id", "severity", "message"
    }  # fmt: skip
    assert found["problems"][0]["class"] == "SYNTAX"
    assert report(HEAD, TEXT).table["id"].to_list() == [HEAD.id, TEXT.id]


def test_a_baseline_survives_shifted_lines_and_counts(tmp_path):
    path = tmp_path / "baseline.json"
    write_baseline([HEAD, HEAD, TEXT], ["x/a.conllu"], path)
    known, files = read_baseline(path)
    assert files == ("a.conllu",)
    moved = HEAD._replace(line=99, start=17, stop=18, file="b.conllu")
    assert compare_with_baseline([moved, moved, moved, FIXED], known) == ([moved, FIXED], 2, 1)
    other_node = HEAD._replace(node="3")
    assert compare_with_baseline([other_node], known).new == [other_node]
    # One line per problem, sorted: a change of the file is easy to read.
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 4
    assert json.loads(lines[2])["count"] == 2
    write_baseline([TEXT, HEAD, HEAD], ["y/a.conllu"], tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


def test_an_empty_baseline(tmp_path):
    write_baseline([], [], tmp_path / "none.json")
    assert read_baseline(tmp_path / "none.json").counts.total() == 0


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"kind": "x"}', '{"problems": []}'])
def test_what_is_no_baseline(tmp_path, content):
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(TreegaugeError, match=r"x\.json: found another kind of file.*--write-baseline"):
        read_baseline(path)
    with pytest.raises(TreegaugeError, match=r"no\.json: No such file"):
        read_baseline(tmp_path / "no.json")


def test_problems_of_a_whole_treebank_are_of_no_sentence():
    one = HEAD._replace(id="edeps-only-sometimes")
    assert key(one) == key(one._replace(sent_id="s9", node="7"))


def test_a_key_needs_no_sentence():
    assert key(HEAD._replace(sent_id=None, node=None))[:3] == ("", "", HEAD.id)


def test_every_rule_can_be_written_as_sarif():
    problems = [HEAD._replace(id=name) for name in BY_ID]
    rules = json.loads(report(*problems).to_sarif())["runs"][0]["tool"]["driver"]["rules"]
    assert len(rules) == len(BY_ID) == 168
    assert {rule["defaultConfiguration"]["level"] for rule in rules} == {"error", "warning"}
