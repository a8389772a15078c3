"""SARIF against the standard's own schema, and what GitHub makes of it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

import hostile_reports as hostile
import traces
from miscast.core.event import Location
from miscast.core.finding import Edit, Fix
from miscast.explanation import explained
from miscast.integrations.language_server.diagnostics import diagnostic
from miscast.lint import lint
from miscast.report import renderer, sarif
from miscast.report.fingerprint import fingerprints
from miscast.report.repository import Repository
from miscast.report.suppressions import Remark, Suppressions
from reports import everything, full, report

STANDARD = json.loads((Path(__file__).parent / "standards/sarif-schema-2.1.0.json").read_text("utf-8"))
VALID = jsonschema.Draft4Validator(STANDARD, format_checker=jsonschema.FormatChecker())
LOG = "RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half\n"


@pytest.fixture(autouse=True)
def repository(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    (tmp_path / "src").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(told):
    log = json.loads(sarif.render(told))
    assert [f"{error.json_path}: {error.message[:200]}" for error in VALID.iter_errors(log)] == []
    (run,) = log["runs"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert len(result["locations"]) == 1  # GitHub refuses a log for a result without
        ids = {one["id"] for one in result.get("relatedLocations", ())}
        assert {int(one) for one in re.findall(r"(?<!\\)\]\((\d+)\)", result["message"]["text"])} <= ids
    return run


def linted():
    Path("train.yaml").write_text("output_dir: o\nper_device_train_batch_size: 1\nfp16: true\nbf16: true\n", "utf-8")
    return lint(["train.yaml"], None).report


@pytest.mark.parametrize(
    "made", [report, full, everything, hostile.hostile, linted, lambda: explained(LOG)],
    ids=["nothing", "full", "everything", "hostile", "lint", "explain"],
)  # fmt: skip
def test_what_is_written_is_sarif(made):
    told = made()
    run = written(told)
    assert len(run["results"]) == len(told.causes)
    assert {one["level"] for one in run["results"]} <= {"error", "warning", "note"}
    assert len({one["partialFingerprints"]["miscast/v1"] for one in run["results"]}) == len(told.causes)
    assert run["invocations"][0]["executionSuccessful"] is (told.ended is None and told.failed is None)


def test_a_result_tells_the_story_from_birth_to_failure():
    first = written(full())["results"][0]
    (flow, *_) = first["codeFlows"]
    steps = [one["location"] for one in flow["threadFlows"][0]["locations"]]
    assert [one["physicalLocation"]["region"]["startLine"] for one in steps] == [12, 14, 20, 22]
    assert steps[1]["message"]["text"] == "`input`: promoted by cat with float32 `mask`, float32"
    assert first["message"]["text"].splitlines()[:2] == [
        "linear mixes float32 `input` with float16 `weight`", "`input`: created by torch.ones, float32 [line 12](1)",
    ]  # fmt: skip
    told = [one["message"]["text"] for one in first["relatedLocations"]]
    assert "consequence: only autocast keeps linear from mixing float32 `input` with float16 `weight`" in told


def test_a_rule_has_its_page_and_where_the_package_names_a_site_its_address(monkeypatch):
    (rule,) = written(report(traces.linear()))["tool"]["driver"]["rules"]
    assert rule["id"] == "operand-dtype-mismatch"
    assert "## Use instead" in rule["help"]["markdown"]
    assert len(rule["shortDescription"]["text"]) < 1_000
    assert "helpUri" not in rule
    monkeypatch.setattr("miscast.report.rule_page.site", lambda: "https://example.org/docs/")
    (rule,) = written(report(traces.linear()))["tool"]["driver"]["rules"]
    address = "https://example.org/docs/rules.html#operand-dtype-mismatch"
    assert rule["helpUri"] == address
    assert f'<a href="{address}">' in renderer("html")(report(traces.linear()))
    (finding,) = report(traces.linear()).findings
    assert diagnostic(finding, lambda _: ()).code_description.href == address


def test_every_rule_of_every_command_has_a_page():
    from miscast.judging.rules import known
    from miscast.lint.rules import known as of_settings
    from miscast.report.rule_page import names, of_losses, page

    rules = {one.name: one.page for one in (*of_settings(), *known())}
    assert set(names()) == {*rules, *of_losses()}
    assert all(page(name).text.count("\n") > 3 for name in names())
    assert {name: page(name).text for name in rules} == rules


def fixed(*edits, **kind):
    (one,) = report(traces.linear()).findings
    return replace(report(), findings=(replace(one, fixes=(Fix(title="t", edits=edits, **kind),)),))


def test_a_link_to_another_file_says_which():
    Path("acc.yaml").write_text(
        "distributed_type: DEEPSPEED\nmixed_precision: bf16\n"
        "deepspeed_config:\n  deepspeed_config_file: 'd[1].json'\n",
        encoding="utf-8",
    )
    Path("d[1].json").write_text('{"train_batch_size": 8, "fp16": {"enabled": true}}', encoding="utf-8")
    (result,) = written(lint(["acc.yaml", "d[1].json"], None).report)["results"]
    assert "and [d\\[1\\].json:1](1)" in result["message"]["text"]


def test_a_comment_that_suppresses_nothing_is_a_note_of_the_run():
    unused = Remark(location=Location(file="train.py", line=7), says="ignore[loss-rounds] has no effect")
    (invocation,) = written(replace(report(), sections=(Suppressions(unused=(unused,)),)))["invocations"]
    (note,) = invocation["toolExecutionNotifications"]
    assert note["message"]["text"] == "unused: train.py:7: ignore[loss-rounds] has no effect"


def test_a_fix_is_offered_if_it_was_proven():
    edit = Edit(file="src/a.py", start_line=3, end_line=4, replacement="x = 1\ny = 2")
    (result,) = written(fixed(edit, verified=True))["results"]
    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["artifactLocation"] == {"uri": "src/a.py", "uriBaseId": "ROOT"}
    assert change["replacements"] == [
        {"deletedRegion": {"startLine": 3, "endLine": 4}, "insertedContent": {"text": "x = 1\ny = 2"}}
    ]
    for told in (fixed(edit), fixed(verified=True)):
        assert "fixes" not in written(told)["results"][0]


def _applied(lines, replacement):
    """As SARIF says that a region is to be read: without columns it is whole lines, less the last one's end."""
    text = "".join(f"{line}\n" for line in lines)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    region = replacement["deletedRegion"]
    begin = starts[region["startLine"] - 1] + region.get("startColumn", 1) - 1
    last = region["endLine"]
    end = starts[last - 1] + region["endColumn"] - 1 if "endColumn" in region else starts[last] - 1
    return text[:begin] + replacement.get("insertedContent", {"text": ""})["text"] + text[end:]


@pytest.mark.parametrize(
    ("edit", "after"),
    [((2, 2, "B"), "a\nB\nc\n"), ((2, 3, "B"), "a\nB\n"), ((1, 2, ""), "c\n"), ((2, 1, "x"), "a\nx\nb\nc\n")],
)
def test_a_region_and_its_text_make_what_the_edit_makes(edit, after):
    start, end, text = edit
    run = written(fixed(Edit(file="a", start_line=start, end_line=end, replacement=text), safe=True))
    (replacement,) = run["results"][0]["fixes"][0]["artifactChanges"][0]["replacements"]
    assert _applied(["a", "b", "c"], replacement) == after


def test_a_line_that_moves_is_no_new_alert():
    def digests(told):
        return fingerprints(told.findings, Repository.here())

    def moved(finding, by, code=None):
        at = replace(finding.location, line=finding.location.line + by)
        return replace(finding, location=at if code is None else replace(at, code=code))

    told = full()
    before = digests(told)
    assert len(set(before)) == len(before)
    later = replace(told, findings=tuple(moved(one, 40) for one in told.findings))
    assert digests(later) == before
    indented = replace(told, findings=tuple(moved(one, 1, f"   {one.location.code}") for one in told.findings))
    assert digests(indented) == before
    other = replace(told, findings=tuple(moved(one, 0, f"{one.location.code}  # new") for one in told.findings))
    assert not set(digests(other)) & set(before)


def test_the_same_mistake_twice_is_two_alerts_and_in_two_files_too():
    (one,) = report(traces.linear()).findings
    elsewhere = replace(one, location=replace(one.location, file="src/other.py"))
    first, second, third = fingerprints((one, one, elsewhere), Repository.here())
    assert second == f"{first}:1"
    assert third.partition(":")[0] != first


def test_a_fingerprint_does_not_know_where_the_checkout_or_the_environment_is(tmp_path, monkeypatch):
    (one,) = report(traces.linear()).findings
    seen = set()
    for name in ("a", "b/c"):
        root = tmp_path / name
        (root / ".git").mkdir(parents=True)
        (root / "src").mkdir()
        for here in (root, root / "src"):
            monkeypatch.chdir(here)
            files = (root / "src/train.py", Path("/opt/x") / name / "lib/site-packages/lib/m.py")
            found = [replace(one, location=replace(one.location, file=str(file))) for file in files]
            seen.add(fingerprints(found, Repository.here()))
    assert len(seen) == 1


def test_names_of_files_are_relative_to_the_repository_from_wherever_it_is_run(repository, monkeypatch):
    (one,) = report(traces.linear()).findings
    monkeypatch.chdir(repository / "src")
    places = {"ä b%.py": "src/%C3%A4%20b%25.py", str(repository / "x.py"): "x.py", "/opt/x y.py": "file:///opt/x%20y.py"}
    for file, uri in places.items():
        told = replace(report(), findings=(replace(one, location=Location(file=file, line=3)),))
        at = written(told)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        assert at["uri"] == uri
        assert ("uriBaseId" in at) is not uri.startswith("file:")


def test_no_more_than_github_takes_and_the_most_severe_first(monkeypatch):
    monkeypatch.setattr(sarif, "RESULTS", 6)
    monkeypatch.setattr(sarif, "_SHOWN", 2)
    run = written(hostile.many(10))
    assert [one["level"] for one in run["results"]] == ["error"] * 5 + ["note"]
    assert ["codeFlows" in one for one in run["results"]] == [True, True, False, False, False, False]
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "4 results omitted: more than GitHub accepts"
    assert sarif.render(hostile.many(2)).count("omitted") == 0


def test_a_column_is_told_where_it_is_known():
    told = linted()
    region = written(told)["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"]) == (3, told.findings[0].location.column)


def test_the_command_writes_it_and_its_exit_code_is_the_same():
    linted()
    ran = subprocess.run(
        [sys.executable, "-m", "miscast", "lint", "--format", "sarif", "--output", "r.sarif", "train.yaml"],
        check=False, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (1, ""), ran.stderr
    assert json.loads(Path("r.sarif").read_text("utf-8"))["runs"][0]["results"][0]["ruleId"] == "both-half-dtypes"


def test_the_address_of_a_rule_is_one_of_the_site():
    """As mkdocs.yml builds it: a page is a file, a heading its anchor."""
    from miscast.report.rule_page import names, page

    docs = Path(__file__).parents[2] / "docs"
    for name in names():
        file, _, anchor = page(name).document.partition("#")
        text = (docs / f"{file.removesuffix('.html')}.md").read_text(encoding="utf-8")
        assert re.search(rf"^##+ {anchor}$", text, re.MULTILINE), (name, file)
