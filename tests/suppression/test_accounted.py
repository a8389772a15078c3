"""What is suppressed is counted, and what has no effect is told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import traces
from command import miscast_in
from miscast.cli import main
from miscast.core.event import Block
from miscast.report import renderer
from miscast.report.reading import loads
from miscast.report.suppressions import suppressions
from miscast.suppression.accounting import Accounting
from miscast.suppression.baseline import read
from miscast.suppression.settings import Settings
from reports import full, report

RULE = "operand-dtype-mismatch"
BOTH = "output_dir: o\nper_device_train_batch_size: 1\nfp16: true{}\nbf16: true\ntf32: true{}\n"
LINT = ["lint", "--machine", "v100", "train.yaml"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def program(**comments):
    """train.py, of which line 22 mixes dtypes, and what stands behind some of its lines."""
    lines = {f"line{number}": f"x{number} = 0" for number in range(1, 60)}
    Path("train.py").write_text(
        "".join(f"{code}{comments.get(name, '')}\n" for name, code in lines.items()), encoding="utf-8"
    )


def left(told, *, by=None, judged=(RULE,)):
    found = (by or Accounting()).of(told, lambda: judged)
    return found, suppressions(found)


def test_a_comment_at_the_line_suppresses_and_what_follows_goes_along():
    program(line22=f"  # miscast: ignore[{RULE}] cast by a hook")
    told, section = left(full())
    assert [one.location.line for one in told] == [30, 40]
    assert [one.consequence_of for one in told] == [None, None]
    assert {one.reason for one in section.suppressed} == {"cast by a hook"}
    assert len(section.suppressed) + len(told) == len(full())
    assert [line.plain for line in section.lines(100)] == ["  suppressed  3 findings: 3 by comments (train.py:22)"]


@pytest.mark.parametrize("comment", ["", "  # miscast: ignore[operand-device-mismatch]"])
def test_another_rule_or_no_comment_suppresses_nothing(comment):
    program(line22=comment)
    told, section = left(full(), judged=())
    assert told == full() or replace(told, findings=full().findings, sections=()) == full()
    assert not section.suppressed


def test_a_comment_that_suppresses_nothing_is_told_where_its_rule_was_judged():
    program(line30=f"  # miscast: ignore[{RULE}]", line50="  # miscast: ignore[loss-rounds]")
    told = report(traces.linear())
    assert [one.says for one in left(told)[1].unused] == [f"ignore[{RULE}] has no effect on v100"]
    assert left(told, judged=())[1].unused == ()
    assert left(replace(told, ended="it raised"))[1].unused == ()
    unreached = Block(file="train.py", first=25, last=35, line=24, condition="x", kind="flag")
    assert left(replace(told, reach=(unreached,)))[1].unused == ()


def test_a_mistake_in_a_comment_is_told():
    program(line22="  # miscast: ignore", line23="  # miscast: ignore[operand-dtype-mismach]")
    told, section = left(report(traces.linear()))
    assert len(told) == 1
    assert [(one.location.line, one.says) for one in section.mistakes] == [
        (22, "names no rule: expected ignore[RULE] and a reason"),
        (23, f"unknown rule 'operand-dtype-mismach': did you mean {RULE}?"),
    ]


def test_the_command_line_leaves_rules_out():
    Path("train.yaml").write_text(BOTH.format("", "  # miscast: ignore[tf32-not-on-machine]"), encoding="utf-8")
    told = {}
    known = "both-half-dtypes,tf32-not-on-machine,spread-of-one"  # the last was the id of nan-appears
    for options in (["--select", "both-half-dtypes"], ["--ignore", known]):
        told[options[0]] = miscast_in(None, *LINT, *options, "--format", "json")
    found = {option: json.loads(done.stdout) for option, done in told.items()}
    assert [one["rule"] for one in found["--select"]["findings"]] == ["both-half-dtypes"]
    assert {one["by"] for one in found["--select"]["suppressions"]["suppressed"]} == {"option"}
    assert found["--select"]["suppressions"]["unused"] == []  # of a rule that was left out
    assert found["--ignore"]["findings"] == []
    assert [done.returncode for done in told.values()] == [1, 0]


def test_findings_are_counted_by_rule_and_need_not_be_an_exit_code(capsys):
    Path("train.yaml").write_text(BOTH.format("", ""), encoding="utf-8")
    assert main([*LINT, "--statistics", "--exit-zero"]) == 0
    assert "     1  both-half-dtypes\n     1  tf32-not-on-machine\n" in capsys.readouterr().out
    assert main([*LINT, "--statistics", "--format", "json", "--ignore", "both-half-dtypes"]) == 1
    assert json.loads(capsys.readouterr().out)["statistics"] == {"tf32-not-on-machine": 1}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--ignore", "both-half-dtype"], "unknown rule 'both-half-dtype' (did you mean both-half-dtypes?)"),
        (["--select", "qqq"], "unknown rule 'qqq'; 'miscast rules' lists them"),
        (["--select", ","], "no rule given; 'miscast rules' lists them"),
        (["--select", RULE], f"--select {RULE}: this command does not check it with these options"),
    ],
)
def test_a_rule_that_cannot_be_selected_is_refused(options, said, capsys):
    assert main([*LINT, *options]) == 2
    assert said in capsys.readouterr().err


def test_the_settings_switch_a_rule_off_or_make_it_another_severity():
    off = Accounting(settings=Settings(file="pyproject.toml", rules={RULE: False}))
    told, section = left(full(), by=off)
    assert {one.rule for one in told} == {"operand-device-mismatch", "autocast-hides-mismatch"}
    assert all(one.consequence_of is None for one in told)  # another rule's: not gone with what it followed from
    assert {one.by for one in section.suppressed} == {"settings"}
    hints = Accounting(settings=Settings(rules={RULE: "hint"}))
    assert {one.severity for one in left(full(), by=hints)[0] if one.rule == RULE} == {"hint"}
    errors = Accounting(settings=Settings(severity="error", rules={RULE: "hint"}))
    assert RULE not in {one.rule for one in left(full(), by=errors)[0] if one.consequence_of is None}


def test_a_baseline_leaves_what_is_new():
    known = report(traces.linear(), traces.conv())
    told, section = left(known, by=Accounting(write="known.json"))
    assert (len(told), len(section.suppressed)) == (0, len(known))
    later = report(traces.linear(), traces.conv(), traces.stray())
    moved = tuple(replace(one, location=replace(one.location, line=one.location.line + 7)) for one in later.findings)
    told, section = left(replace(later, findings=moved), by=Accounting(known=read("known.json")))
    assert [one.rule for one in told] == ["operand-device-mismatch"]
    assert [one.by for one in section.suppressed] == ["baseline"] * len(known)


def test_the_second_of_two_alike_is_new_and_keeps_its_fingerprint():
    (one,) = report(traces.linear()).findings
    once, twice = replace(report(), findings=(one,)), replace(report(), findings=(one, one))
    left(once, by=Accounting(write="known.json"))
    told, _ = left(twice, by=Accounting(known=read("known.json")))
    assert [finding.fingerprint.partition(":")[2] for finding in told] == ["1"]
    (again,) = json.loads(renderer("gitlab")(told))
    assert again["fingerprint"] == told[0].fingerprint


def test_sarif_has_what_is_suppressed_and_the_other_formats_do_not():
    program(line22=f"  # miscast: ignore[{RULE}] cast by a hook")
    told, _ = left(report(traces.linear(), traces.stray()))
    by_rule = {one["ruleId"]: one for one in json.loads(renderer("sarif")(told))["runs"][0]["results"]}
    assert "suppressions" not in by_rule["operand-device-mismatch"]
    (one,) = by_rule[RULE]["suppressions"]
    assert (one["kind"], one["justification"]) == ("inSource", "cast by a hook")
    assert one["location"]["physicalLocation"]["region"]["startLine"] == 22
    assert len(json.loads(renderer("gitlab")(told))) == 1
    (data,) = json.loads(renderer("json")(told))["suppressions"]["suppressed"]
    assert (data["by"], data["line"], data["reason"]) == ("comment", 22, "cast by a hook")


def test_a_report_that_is_read_back_still_says_what_it_does_not_tell():
    program(line22=f"  # miscast: ignore[{RULE}] cast by a hook", line23="  # miscast: ignore[loss-round]")
    told, _ = left(report(traces.linear(), traces.stray()))
    again = loads(renderer("json")(told))
    assert list(suppressions(again).told()) == list(suppressions(told).told())
    assert len(suppressions(again).suppressed) == len(suppressions(again).mistakes) == 1
    (one,) = suppressions(again).suppressed
    assert (one.finding.severity, one.reason) == ("error", "cast by a hook")


def test_lint_goes_by_comments_and_by_a_baseline(capsys):
    Path("train.yaml").write_text(BOTH.format("", ""), encoding="utf-8")
    assert main(LINT) == 1
    Path("train.yaml").write_text(BOTH.format("  # miscast: ignore[both-half-dtypes] x", ""), encoding="utf-8")
    assert main([*LINT, "--write-baseline", "known.json"]) == 0
    out = capsys.readouterr().out
    assert "suppressed  2 findings: 1 by comments (train.yaml:3), 1 in the baseline" in out
    assert "nothing found" in out
    ignored = BOTH.format("  # miscast: ignore[both-half-dtypes] x", "  # miscast: ignore[no-dtype-flag] y")
    Path("train.yaml").write_text(ignored, encoding="utf-8")
    assert main([*LINT, "--baseline", "known.json"]) == 1  # the line has changed
    assert "unused      train.yaml:5: ignore[no-dtype-flag] has no effect on v100" in capsys.readouterr().out


def test_lint_leaves_what_is_suppressed_as_it_is():
    text = BOTH.format("  # miscast: ignore[both-half-dtypes]", "  # miscast: ignore[tf32-not-on-machine]")
    Path("train.yaml").write_text(text, encoding="utf-8")
    assert main([*LINT, "--fix"]) == 0
    assert Path("train.yaml").read_text(encoding="utf-8") == text


def test_a_failure_in_accounting_loses_no_finding(monkeypatch, capsys):
    def broken(*_):
        raise KeyError("x")

    monkeypatch.setattr("miscast.suppression.accounted.comments", broken)
    Path("train.yaml").write_text(BOTH.format("  # miscast: ignore[no-dtype-flag]", ""), encoding="utf-8")
    assert main(LINT) == 2
    out, err = capsys.readouterr()
    assert "error[both-half-dtypes]" in out
    assert err.startswith("miscast: Miscast itself failed: KeyError: 'x'")


PROGRAM = f"""\
import torch
a, b = torch.ones(2, 2), torch.ones(2, 2).half()
torch.mm(a, b)  # miscast: ignore[{RULE}] on purpose
torch.mm(torch.ones(2, 2).double(), torch.ones(2, 2))
torch.ones(3)  # miscast: ignore[{RULE}]
"""


def test_check_goes_by_them_all(here):
    Path("train.py").write_text(PROGRAM, encoding="utf-8")
    Path("pyproject.toml").write_text('[tool.miscast]\nmachine = "v100"\n', encoding="utf-8")
    ran = miscast_in(here, "check", "--write-baseline", "known.json", "--format", "json", "train.py")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    told = json.loads(ran.stdout)
    assert (told["machine"], told["findings"]) == ("v100", [])
    assert [(one["line"], one["by"]) for one in told["suppressions"]["suppressed"]] == [(3, "comment"), (4, "baseline")]
    assert [(one["line"], one["says"]) for one in told["suppressions"]["unused"]] == [
        (5, f"ignore[{RULE}] has no effect on v100")
    ]
    assert len(read("known.json")) == 1


REFUSED = {
    "no baseline": ({}, ["--baseline", "no.json"], ("there is no baseline no.json: create it with "
        "--write-baseline no.json")),
    "no JSON": ({"b.json": "x"}, ["--baseline", "b.json"], "b.json is not a baseline: JSON is malformed"),
    "another file": ({"b.json": "{}"}, ["--baseline", "b.json"], "b.json is not a baseline: Object missing required"),
    "of later": ({"b.json": '{"schema": 2, "findings": []}'}, ["--baseline", "b.json"], "is a baseline of schema 2"),
    "no folder": ({}, ["--write-baseline", "no/b.json"], "cannot write the baseline to no/b.json"),
    "both": ({}, ["--baseline", "a", "--write-baseline", "b"], "not allowed with argument --baseline"),
    "a key": ({"pyproject.toml": "[tool.miscast]\nmachne = 'a'"}, [], "[tool.miscast]: unknown key 'machne': did you"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_gone_by_is_one_line_and_2(case, capsys):
    files, arguments, said = REFUSED[case]
    Path("train.yaml").write_text(BOTH.format("", ""), encoding="utf-8")
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    assert main([*LINT, *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert said in err


def renamed():
    """A report whose finding was one of `update-absorbed`, and of `integer-rounds`, before it was what it is."""
    told = report(traces.linear())
    return replace(told, findings=tuple(replace(one, rule="sum-stalls") for one in told.findings))


@pytest.mark.parametrize("named", ["sum-stalls", "update-absorbed", "integer-rounds"])
def test_a_comment_may_name_an_id_that_a_finding_had_before(named):
    program(line22=f"  # miscast: ignore[{named}] a progress bar")
    told, section = left(renamed(), judged=("sum-stalls", "update-absorbed", "integer-rounds"))
    assert (told.findings, section.unused, section.mistakes) == ((), (), ())
    assert [one.reason for one in section.suppressed] == ["a progress bar"]


def test_an_id_that_is_no_rule_any_more_is_told_where_it_suppresses_nothing():
    program(line22="  # miscast: ignore[spread-of-one]")
    section = left(report(traces.linear()), judged=("nan-appears",))[1]
    assert [one.says for one in section.unused] == ["ignore[spread-of-one] has no effect on v100"]
    assert section.mistakes == ()


def test_a_baseline_knows_a_finding_by_the_id_that_it_had_before():
    told = renamed()
    before = replace(told, findings=tuple(replace(one, rule="update-absorbed") for one in told.findings))
    left(before, by=Accounting(write="known.json"))
    assert left(told, by=Accounting(known=read("known.json")))[0].findings == ()
    other = replace(told, findings=tuple(replace(one, rule="loss-rounds") for one in told.findings))
    assert len(left(other, by=Accounting(known=read("known.json")))[0]) == 1


@pytest.mark.slow
def test_a_shadow_goes_by_a_comment_and_a_baseline(here):
    text = "import torch\nx = torch.full((4,), 300.0).half()\ny = x * x{}\nz = x * 1e4\n"
    Path("train.py").write_text(text.format("  # miscast: ignore[number-overflows] squared"), encoding="utf-8")
    ran = miscast_in(here, "run", "--shadow", "--write-baseline", "known.json", "--format", "json", "train.py")
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stderr)
    assert told["findings"] == []
    assert {one["by"]: one["line"] for one in told["suppressions"]["suppressed"]} == {"comment": 3, "baseline": 4}
    ran = miscast_in(here, "run", "--baseline", "known.json", "train.py")
    assert (ran.returncode, ran.stderr) == (2, "miscast: --baseline needs --shadow\n")
