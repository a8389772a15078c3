"""What cannot be started is told at once, in one line, by every command that runs a program."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from command import SOURCE
from miscast.cli import main

COMMANDS = ("check", "fix", "plan", "matrix", "run")
ASKED = f"""
import json, sys
sys.path.insert(0, {SOURCE!r})
from miscast.cli import main
codes = [main([command, sys.argv[1]]) for command in {COMMANDS}]
print(json.dumps([codes, "torch" in sys.modules]))
"""


def test_nothing_is_imported_to_say_that_there_is_no_such_file(tmp_path):
    command = [sys.executable, "-c", ASKED, "absent.py"]
    ran = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert json.loads(ran.stdout) == [[2] * len(COMMANDS), False]
    assert ran.stderr == "miscast: absent.py: no such file\n" * len(COMMANDS)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "binary.py").write_bytes(b"\x7fELF\0\0\1")
    (tmp_path / "open.py").write_text("x = (\n")
    (tmp_path / "deep.py").write_text(f"x = {'-' * 20_000}1\n")
    (tmp_path / "deep.ipynb").write_text("[" * 100_000)
    (tmp_path / "miscast.toml").write_text('[matrix]\nrun = "gone.py"\n')


@pytest.mark.parametrize("command", ["check", "fix", "plan", "matrix"])
@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("empty", "empty is a folder without __main__.py"),
        (
            "binary.py",
            "binary.py is not a Python file: source code string cannot contain null bytes",
        ),
        ("open.py", "open.py:1: '(' was never closed"),
        ("deep.py", "deep.py is nested too deeply for Python"),
        ("deep.ipynb", "deep.ipynb is nested too deeply for Python"),
        ("no-such-command", "no-such-command: no such file"),
        ("a\nb\x1b[2J.py", "a b?[2J.py: no such file"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_is_no_program_is_told_in_one_line(command, target, said, capsys):
    assert main([command, target]) == 2
    assert capsys.readouterr() == ("", f"miscast: {said}\n")


@pytest.mark.usefixtures("folder")
def test_a_program_that_the_matrix_file_names(capsys):
    assert main(["matrix"]) == 2
    assert capsys.readouterr() == ("", "miscast: gone.py: no such file\n")
