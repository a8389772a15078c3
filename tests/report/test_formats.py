"""A format is one file that gets the report of any command; a section is told by every format."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from rich.text import Text

import miscast
import warm
from miscast.cli import main
from miscast.explanation import explained
from miscast.report import formats, json as as_json, reading, text
from reports import full, report

FORMAT = '''\
"""As few words as there can be."""


def render(report):
    found = [f"{one.rule} at {one.location.line}" for one in report]
    return "; ".join([report.command, *found, *(section.name for section in report.sections)])
'''
START = """\
import os, sys
import miscast.report
miscast.report.__path__.append(os.path.abspath("formats"))
from miscast.cli import main
sys.exit(main())
"""
FILES = {
    "formats/terse.py": FORMAT,
    "start.py": START,
    "train.py": "import torch\na, b = torch.ones(2, 2), torch.ones(2, 2).half()\ntorch.mm(a, b)\n",
    "train.yaml": "output_dir: o\nper_device_train_batch_size: 1\nfp16: true\nbf16: true\n",
    "train.log": "RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half\n",
}
TOLD = {
    "check": (["--machine", "cpu", "--fixes", "0", "train.py"], "check; operand-dtype-mismatch at 3\n"),
    "fix": (["--machine", "cpu", "train.py"], "fix; operand-dtype-mismatch at 3; mending\n"),
    "lint": (["train.yaml"], "lint; both-half-dtypes at 3; tables; files\n"),
    "explain": (["train.log"], "explain; dtype-mismatch at 0\n"),
}


@pytest.mark.parametrize("command", TOLD)
def test_a_file_is_a_format_of_every_command(command, tmp_path):
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    arguments, told = TOLD[command]
    env = os.environ | {"PYTHONPATH": str(Path(miscast.__file__).parents[1])}
    ran = warm.python("start.py", command, "--format", "terse", *arguments, folder=tmp_path, environment=env)
    assert (ran.returncode, ran.stdout) == (1, told), ran.stderr


@pytest.mark.parametrize("command", ["check", "explain", "fix", "lint", "run"])
def test_what_is_no_format_is_refused_by_every_command_in_the_same_words(command, tmp_path, capsys):
    (tmp_path / "x.py").write_text("raise SystemExit('this must not run')\n", encoding="utf-8")
    assert main([command, "--format", "xml", str(tmp_path / "x.py")]) == 2
    out = capsys.readouterr()
    assert (out.out, out.err) == ("", f"miscast: unknown format 'xml': known formats are {', '.join(formats())}\n")


def _broken(*_, **__):
    raise KeyError("x")


@pytest.mark.parametrize("command", ["explain", "lint"])
def test_a_format_that_fails_loses_no_finding(command, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("miscast.report.json._document", _broken)
    monkeypatch.setattr("miscast.report.text.paragraphs", _broken)
    monkeypatch.chdir(tmp_path)
    arguments, _ = TOLD[command]
    (tmp_path / arguments[-1]).write_text(FILES[arguments[-1]], encoding="utf-8")
    for form in ("json", "text"):
        assert main([command, "--format", form, *arguments]) == 2
        out, err = capsys.readouterr()
        assert {"explain": "dtype-mismatch", "lint": "both-half-dtypes"}[command] in out
        assert "Miscast itself failed: KeyError: 'x'" in out
        assert err.startswith("miscast: Miscast itself failed: KeyError: 'x'")
        assert form == "text" or json.loads(out)["schema"] == 1


@dataclass(frozen=True)
class Counted:
    name = "counted"
    ops: tuple[str, ...]

    def lines(self, width):
        yield Text(f"ops {', '.join(self.ops)}"[:width])

    def data(self):
        return {"ops": self.ops}


def test_a_section_stands_behind_the_findings_in_text_and_json():
    plain = full()
    told = replace(plain, sections=(Counted(ops=("mm", "add")),))
    lines = text.render(plain, width=80).splitlines()
    summary = max(index for index, line in enumerate(lines) if not line) + 1
    assert text.render(told, width=80).splitlines() == [*lines[:summary], "ops mm, add", "", *lines[summary:]]
    keys = json.loads(as_json.render(told))
    assert keys.pop("counted") == {"ops": ["mm", "add"]}
    assert keys == json.loads(as_json.render(plain))
    assert reading.loads(as_json.render(told)) == reading.loads(as_json.render(plain))


def test_a_report_is_the_sequence_of_its_findings():
    told = full()
    assert [*told] == [told[index] for index in range(len(told))] == [*told.findings]
    assert told
    assert not report()
    [one] = explained("RuntimeError: expected scalar type Half but found Float")
    assert (one.category, one.help) == (one.rule, tuple(fix.title for fix in one.fixes))
