"""What a real shell completes: each command, and each option that its parser has."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time

import pytest

from miscast.cli import main
from miscast.commands import known
from miscast.commands.arguments import described
from sweep import sweep

WANTED = [
    ("miscast che", "check"),
    ("miscast check --mach", "--machine"),
    ("miscast check --machine v10", "v100 v100-32"),
    ("miscast completion ", "bash zsh fish"),
    ("miscast rules both-half-d", "both-half-dtypes"),
    ("miscast matrix --no-prog", "--no-progress"),
]


def script(shell, capsys):
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


def completed(shell, text, line):
    """What that shell makes of a line, in a process of its own."""
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} on this machine")
    if shell == "fish":
        asks = f"{text}\ncomplete -C {line!r}"
        ran = subprocess.run([shell, "-N", "-c", asks], capture_output=True, text=True, check=True, timeout=60)
        return [one.partition("\t")[0] for one in ran.stdout.splitlines()]
    words = " ".join(f"'{word}'" for word in line.split(" "))
    asks = f"{text}\nCOMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1))\n"
    asks += '_miscast; printf "%s\\n" "${COMPREPLY[@]}"'
    ran = subprocess.run([shell, "--norc", "-c", asks], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stderr == ""
    return ran.stdout.split()


@pytest.mark.parametrize("shell", ["bash", "fish"])
@sweep(("line", "told"), WANTED)
def test_words_are_completed(shell, line, told, capsys):
    assert sorted(completed(shell, script(shell, capsys), line)) == sorted(told.split())


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("miscast check --machine = v100-", "v100-32"),
        ("miscast check --machine =", None),
        ("miscast check train.py --mach", ""),
        ("miscast check --machine v100 train.py --mach", ""),
        ("miscast check --machine v100 --str", "--strict"),
        ("miscast check --output ", ""),
        ("miscast nosuch ", ""),
    ],
)
def test_bash_knows_where_the_program_begins_and_what_an_option_takes(line, told, capsys):
    found = completed("bash", script("bash", capsys), line)
    if told is None:
        assert "a100" in found
    else:
        assert found == told.split()


def test_every_option_is_there(capsys):
    text = script("bash", capsys)
    found = {one.command.name: one for one in described()}
    assert {*found} == {command.name for command in known()}
    assert {name for option in found["check"].options for name in option.names} >= {"--help", "-q", "--reach", "--also"}
    for one in found.values():
        for option in one.options:
            assert all(name in text for name in option.names)


@pytest.mark.skipif(shutil.which("zsh") is None, reason="no zsh on this machine")
def test_zsh_completes_at_its_prompt(capsys, tmp_path):
    (tmp_path / "miscast.zsh").write_text(script("zsh", capsys))
    told = _typed(tmp_path, "miscast check --mach\t\t")
    assert "--machine" in told
    told = _typed(tmp_path, "miscast lin\t")
    assert "miscast lint" in told


def _typed(folder, keys):
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ.update(TERM="dumb", PS1="$ ")
        os.execvp("zsh", ["zsh", "-f", "-i"])
    try:
        setup = "PS1='> '; autoload -U compinit; compinit -D -u; source ./miscast.zsh; echo re''ady\n"
        _until(terminal, setup, "ready")
        return _until(terminal, keys, "--machine" if "mach" in keys else "lint")
    finally:
        os.write(terminal, b"\x15\x04")
        os.close(terminal)
        os.waitpid(pid, 0)


def _until(terminal, keys, awaited):
    """What stands on the terminal once the awaited words do, or after a while."""
    os.write(terminal, keys.encode())
    told, end = "", time.monotonic() + 30
    while time.monotonic() < end and awaited not in told:
        if select.select([terminal], [], [], 0.2)[0]:
            told += os.read(terminal, 4096).decode(errors="replace")
    return told


def test_another_shell_is_refused_in_one_line(capsys):
    assert main(["completion", "csh"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "bash" in told


def test_it_needs_no_torch():
    asks = "import sys; from miscast.cli import main; main(['completion', 'zsh']); sys.exit('torch' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", asks], stdout=subprocess.DEVNULL, check=False, timeout=60)
    assert ran.returncode == 0
