"""JUnit's XML, GitHub's annotations, GitLab's code quality and a comment in Markdown, as their readers read them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import xmlschema
from markdown_it import MarkdownIt  # what Rich reads Markdown with

import hostile_reports as hostile
import traces
from miscast.core.event import Location
from miscast.explanation import explained
from miscast.report import renderer
from miscast.report.markup import cell, code
from miscast.report.suppressions import Remark, Suppressed, Suppressions
from reports import everything, full, report

XSD = xmlschema.XMLSchema(str(Path(__file__).parent / "standards/junit-10.xsd"))
GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string"},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{16}(:[0-9]+)?$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^[^/]"},
                    "lines": {"type": "object", "properties": {"begin": {"type": "integer", "minimum": 1}}},
                },
            },
        },
    },
}
COMMAND = re.compile(r"^::(error|warning|notice) ([^:]*)::(.*)$")
FENCED = re.compile(r"^(`{3,})text\n.*?^\1$", re.MULTILINE | re.DOTALL)
LOG = "RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half\n"
MADE = {
    "nothing": report, "full": full, "everything": everything, "hostile": hostile.hostile,
    "explain": lambda: explained(LOG), "many": lambda: hostile.many(400),
}  # fmt: skip


@pytest.fixture(params=MADE)
def told(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return MADE[request.param]()


def unescaped(text, *more):
    """As GitHub's runner undoes what it is given."""
    for char in ("\r", "\n", *more):
        text = text.replace(f"%{ord(char):02X}", char)
    return text.replace("%25", "%")


def annotations(text):
    """(level, properties, message) of each line that the runner takes for a command; all others are the log's."""
    for line in text.splitlines():
        if found := COMMAND.match(line):
            level, properties, message = found.groups()
            pairs = (one.split("=", 1) for one in properties.split(","))
            yield level, {name: unescaped(value, ":", ",") for name, value in pairs}, unescaped(message)
        else:
            assert not line.startswith("::")


def test_junit_is_what_jenkins_takes(told):
    text = renderer("junit")(told)
    XSD.validate(text)
    suite = ET.fromstring(text)[0]  # of the test's own making
    cases = suite.findall("testcase")
    failed = [one for one in cases if one.find("failure") is not None]
    assert len(failed) == len(told.causes) == int(suite.get("failures"))
    assert len({one.get("name") for one in failed}) == len(failed)
    errors = (told.ended is not None) + (told.failed is not None)
    assert errors == len(suite.findall("testcase/error")) == int(suite.get("errors"))
    assert int(suite.get("tests")) == len(cases) == max(len(failed) + errors, 1)


def test_an_annotation_for_each_finding_the_most_severe_first(told):
    found = [one for one in annotations(renderer("github")(told)) if "miscast" not in one[1]["title"]]
    assert len(found) == len(told.causes)
    levels = [level for level, _, _ in found]
    assert levels == sorted(levels)
    assert {one["title"] for _, one, _ in found} == {finding.rule for finding in told.causes}


def test_an_annotation_stands_at_its_line_and_says_all(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    level, at, message = next(annotations(renderer("github")(full())))
    assert (level, at) == ("error", {"file": "a/train.py", "line": "22", "title": "operand-dtype-mismatch"})
    assert message.startswith("error[operand-dtype-mismatch]  linear mixes float32 `input` with float16 `weight`\n")
    assert "mask = torch.ones(latent.shape[0], 1, 64, 64)" in message
    assert renderer("github")(report()) == "miscast check: nothing found\n"


def test_a_finding_without_a_file_is_annotated_without_a_line():
    first, *_ = full().findings
    nowhere = replace(first, location=replace(first.location, file="", line=7))
    ((_, at, _),) = annotations(renderer("github")(replace(report(), findings=(nowhere,))))
    assert at == {"title": "operand-dtype-mismatch"}


def test_a_name_with_colons_and_commas_is_one_property(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one = replace(report(), findings=(hostile.finding("::error file=x,line=9::y%3A"),))
    ((level, at, _),) = annotations(renderer("github")(one))
    assert (level, at["file"], at["line"]) == ("error", "src/::error file=x,line=9::y%3A.py", "3")


def test_gitlab_takes_it(told):
    data = json.loads(renderer("gitlab")(told))
    jsonschema.validate(data, GITLAB)
    assert len(data) == len(told.causes)
    assert len({one["fingerprint"] for one in data}) == len(data)


@pytest.mark.parametrize(("file", "path"), [("", "."), ("a.py", "a.py"), ("/opt/lib/a.py", "opt/lib/a.py")])
def test_a_path_for_gitlab_is_relative(file, path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (one,) = report(traces.linear()).findings
    told = replace(report(), findings=(replace(one, location=replace(one.location, file=file)),))
    assert json.loads(renderer("gitlab")(told))[0]["location"]["path"] == path


def test_a_path_for_gitlab_is_unicode_as_its_database_wants(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (finding,) = full().findings[:1]
    odd = replace(finding, location=replace(finding.location, file="train\udcff.py"))
    (told,) = json.loads(renderer("gitlab")(replace(full(), findings=(odd,))))
    assert told["location"]["path"] == "train?.py"


def test_what_suppresses_nothing_is_told_where_it_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    unused = Remark(location=Location(file="train.py", line=7), says="ignore[loss-rounds] has no effect")
    by_comment = Suppressed(finding=full().findings[0], by="comment")
    told = replace(report(), sections=(Suppressions(suppressed=(by_comment,), unused=(unused,)),))
    (one,) = annotations(renderer("github")(told))
    assert one == ("notice", {"file": "train.py", "line": "7", "title": "suppression"}, unused.says)
    for form, start in (("markdown", "> "), ("junit", "")):
        text = renderer(form)(told).replace("<system-out>", "\n").replace("\\", "")
        assert f"\n{start}suppressed: 1 finding: 1 by comments (train.py:22)" in text
        assert f"\n{start}unused: train.py:7: {unused.says}" in text


def test_a_comment_is_never_too_long_and_says_what_it_left_out(told):
    text = renderer("markdown")(told)
    assert len(text.encode()) <= 65_536
    assert text.startswith(f"<!-- miscast {told.command} -->\n### miscast {told.command}: ")
    blocks = text.count("<details><summary>error ·") + text.count("<details><summary>hint ·")
    left = re.search(r"^([\d,]+) more findings? omitted", text, re.MULTILINE)
    assert blocks + (int(left[1].replace(",", "")) if left else 0) == len(told.causes)
    outside = FENCED.sub("", text)
    assert outside.count("<details>") == outside.count("</details>")
    if not told.findings:
        assert "nothing found" in text


def test_nothing_of_the_program_becomes_markup_of_a_comment(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = renderer("markdown")(hostile.hostile())
    html = MarkdownIt("commonmark").enable("table").render(text)
    rows = html.count("<tr>")
    assert (rows, html.count("<td>")) == (1 + len(hostile.hostile().causes), 3 * (rows - 1))
    assert not re.search(r"<(script|a|h2|img)\b", html)
    assert html.count("<h1>") + html.count("<h3>") == 1
    assert "@team" not in re.sub(r"<code.*?</code>", "", html, flags=re.DOTALL)
    assert html.count("<details>") == html.count("</details>")
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("linear mixes `input` with `weight`", "linear mixes `input` with `weight`"),
        ("a_b *c*", r"a\_b \*c\*"),
        ("half `open", "half 'open"),
        ("a | `b|c`", r"a \| <code>b&#124;c</code>"),
        ("@me <b>", "@\u200bme &lt;b&gt;"),
    ],
)
def test_a_text_within_a_cell(text, shown):
    assert cell(text) == shown


def test_code_with_backticks_is_code():
    assert code("a`b``c") == "``` a`b``c ```"
