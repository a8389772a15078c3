"""Colours, widths, pipes and silence: what a terminal, a log and a script want of every command."""

from __future__ import annotations

import io
import os
import re

import pytest

from command import miscast_in
from miscast.cli import main
from miscast.progress import OFF, Progress, Ticking, wanted

YAML = "output_dir: o\nper_device_train_batch_size: 1\nfp16: true\nbf16: true\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("config")
    (made / "train.yaml").write_text(YAML)
    (made / "right.yaml").write_text(YAML.replace("fp16: true\n", ""))
    return made


def told(folder, *arguments, **environment):
    ran = miscast_in(folder, *arguments, **environment)
    return ran.returncode, ran.stdout, ran.stderr


def test_a_pipe_is_plain_unless_colour_is_forced_and_no_colour_is_none(folder):
    plain = told(folder, "lint", "train.yaml", NO_COLOR="", FORCE_COLOR="")
    assert "\x1b" not in plain[1]
    forced = told(folder, "lint", "train.yaml", FORCE_COLOR="1", TERM="xterm-256color", COLUMNS="100")
    assert "\x1b[1;31merror" in forced[1]
    none = told(folder, "lint", "train.yaml", FORCE_COLOR="1", NO_COLOR="1", TERM="xterm-256color", COLUMNS="100")
    assert "\x1b[1;31m" not in none[1]
    assert "31m" not in none[1]


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal(width, folder):
    _, out, _ = told(folder, "lint", "train.yaml", FORCE_COLOR="1", TERM="xterm-256color", COLUMNS=str(width))
    lines = re.sub(r"\x1b\[[\d;]*m", "", out).splitlines()
    assert len(lines) > 8
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("arguments", [["machines"], ["rules"], ["rules", "operand-dtype-mismatch"]])
def test_a_list_and_a_page_fit_a_terminal_and_keep_their_lines_in_a_pipe(arguments, monkeypatch, capsys):
    assert main(arguments) == 0
    plain = capsys.readouterr().out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    assert main(arguments) == 0
    narrow = capsys.readouterr().out
    prose = [line for line in narrow.splitlines() if arguments[-1] in ("machines", "rules") or not line.startswith(" ")]
    assert max(map(len, prose)) <= 60
    assert narrow.split() == plain.split()


@pytest.mark.parametrize("quiet", ["-q", "--quiet"])
def test_quiet_says_nothing_where_nothing_is_found(quiet, folder):
    assert told(folder, "lint", quiet, "right.yaml") == (0, "", "")
    code, out, _ = told(folder, "lint", quiet, "train.yaml")
    assert code == 1
    assert "both-half-dtypes" in out
    code, out, _ = told(folder, "lint", quiet, "--format", "json", "right.yaml")
    assert (code, out[:1]) == (0, "{")  # who asks for data gets them


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("off", [{OFF: "1"}, {"TERM": "dumb"}])
def test_no_line_of_progress_is_drawn_where_it_is_not_wanted(off, monkeypatch):
    monkeypatch.setattr("miscast.progress.AFTER", -1.0)
    monkeypatch.setattr("miscast.progress.EVERY", -1.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv(OFF, raising=False)
    seen = Terminal()
    assert wanted(seen)
    with Ticking(seen) as ticking:
        ticking.tick()
    assert "miscast" in seen.getvalue()
    for name, value in off.items():
        monkeypatch.setenv(name, value)
    silent = Terminal()
    with Ticking(silent) as ticking, Progress(silent):
        ticking.tick()
    assert silent.getvalue() == ""


@pytest.mark.parametrize("option", ["--no-progress", "-q"])
def test_the_options_of_a_command_say_so(option, monkeypatch, folder, capsys):
    monkeypatch.delenv(OFF, raising=False)
    monkeypatch.setattr("os.environ", dict(os.environ))
    main(["lint", option, str(folder / "right.yaml")])
    capsys.readouterr()
    assert not wanted(Terminal())
