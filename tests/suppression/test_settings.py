"""`[tool.miscast]`: read strictly, from the project that the current folder is in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from miscast.cli import main
from miscast.suppression.settings import Settings, settings
from miscast.suppression.unusable import UnusableError
from sweep import sweep

WHOLE = """\
[tool.other]
x = 1
[tool.miscast]
machine = "a100"
strict = true
paths = ["config", "train.sh"]
assume = ["pixels=-1:1"]
severity = "warning"
baseline = "known.json"
[tool.miscast.rules]
loss-rounds = "error"
unknown-key = false
"""
WRONG = {
    "[tool.miscast]\nmachne = 'a100'": "unknown key 'machne': did you mean machine?",
    "[tool.miscast]\nq = 1": "unknown key 'q': expected one of machine, strict, paths, assume, severity, "
        "baseline, rules",
    "[tool.miscast]\nmachine = 3": "machine: expected a string, got '3'",
    "[tool.miscast]\nstrict = 'yes'": "strict: expected true or false, got 'yes'",
    "[tool.miscast]\npaths = 'config'": "paths: expected a list of strings, got 'config'",
    "[tool.miscast]\nassume = ['pixels']": "assume: --assume 'pixels': expected name=low:high",
    "[tool.miscast]\nseverity = 'fatal'": "severity: expected one of error, warning, hint, got 'fatal'",
    "[tool.miscast.rules]\nloss-round = false": "rules: unknown rule 'loss-round': did you mean loss-rounds?",
    "[tool.miscast.rules]\nloss-rounds = 'off'": "rules: expected one of error, warning, hint, got 'off'",
    "[tool]\nmiscast = 3": "[tool.miscast] must be a table",
    "[tool.miscast": "cannot read pyproject.toml: ",
}


def write(text, folder="."):
    (Path(folder) / "pyproject.toml").write_text(text, encoding="utf-8")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_all_that_can_be_said(here, monkeypatch):
    write(WHOLE)
    found = settings()
    assert found == Settings(
        file="pyproject.toml", machine="a100", strict=True, paths=("config", "train.sh"), assume=("pixels=-1:1",),
        severity="warning", baseline="known.json", rules={"loss-rounds": "error", "unknown-key": False},
    )  # fmt: skip
    (here / "src").mkdir()
    monkeypatch.chdir("src")
    below = settings()
    assert (below.paths, below.baseline) == (("../config", "../train.sh"), "../known.json")


def test_a_setting_may_name_an_id_that_a_rule_had_before():
    write("[tool.miscast.rules]\nspread-of-one = false\n")
    assert settings().rules == {"nan-appears": False}


@pytest.mark.parametrize("text", ["", "[project]\nname = 'miscast'", "[tool.other]\nx = 1", "[tool.miscast]"])
def test_a_project_that_says_nothing(text):
    write(text)
    assert settings() in (Settings(), Settings(file="pyproject.toml"))


@sweep("text", WRONG)
def test_what_is_no_setting_is_one_line(text, capsys):
    write(text)
    with pytest.raises(UnusableError, match=re.escape(WRONG[text])) as refused:
        settings()
    assert "\n" not in str(refused.value)
    assert main(["lint"]) == 2
    assert capsys.readouterr().err == f"miscast: {refused.value}\n"


@pytest.mark.parametrize(
    "text",
    ["[tool]\nmiscast.machine = 'v100'", "tool.miscast.machine = 'v100'", "[ 'tool' ]\nmiscast = {machine = 'v100'}",
     '["tool".miscast]\nmachine = "v100"', "[tool.'miscast']\nmachine = 'v100'"],
)  # fmt: skip
def test_in_whatever_way_toml_says_it(text):
    write(text)
    assert settings().machine == "v100"


def test_what_needs_no_settings_does_not_read_them():
    write("[tool.miscast]\nq = 1")
    assert main(["rules"]) == main(["machines"]) == 0


def test_the_command_line_comes_first(capsys):
    write('[tool.miscast]\nmachine = "v100"\npaths = ["a"]\n')
    Path("a").mkdir()
    for name in ("a/train.yaml", "train.yaml"):
        Path(name).write_text("output_dir: o\nper_device_train_batch_size: 1\ntf32: true\n", encoding="utf-8")
    assert main(["lint"]) == 1
    out = capsys.readouterr().out
    assert "on v100" in out
    assert "1 configuration read" in out
    assert main(["lint", "--machine", "a100", "train.yaml", "a"]) == 0
    out = capsys.readouterr().out
    assert "on a100" in out
    assert "2 configurations read" in out
