"""The samples of docs/suppressions.md are what happens."""

from __future__ import annotations

import re
from pathlib import Path

from miscast.cli import main
from miscast.suppression.settings import settings

PAGE = (Path(__file__).parents[2] / "docs/suppressions.md").read_text(encoding="utf-8")


def block(language):
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return found


def test_the_sample_of_comments(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("train.yaml").write_text(block("yaml"), encoding="utf-8")
    command, *shown = block("text").splitlines()
    assert main(command.split()[2:]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert [line for line in shown if line not in printed and line != "…"] == []
    assert printed[-1] == shown[-1]


def test_the_sample_of_settings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text(block("toml"), encoding="utf-8")
    found = settings()
    assert (found.machine, found.severity, found.rules["loss-rounds"]) == ("a100", "warning", "error")
