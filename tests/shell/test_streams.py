"""Colours, widths, pipes and silence: what a terminal, a log and a script want of every command."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

import traces
from command import SOURCE, miscast_in
from miscast.cli import main
from miscast.core.finding import Fix
from miscast.core.progress import OFF, Progress, Ticking, wanted
from miscast.report.growing_text import GrowingText
from miscast.report.jsonl import JsonLines, render
from reports import full, report

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
    monkeypatch.setattr("miscast.core.progress.AFTER", -1.0)
    monkeypatch.setattr("miscast.core.progress.EVERY", -1.0)
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


FAULTY = "import time, torch\ntorch.nn.Linear(4, 4)(torch.ones(2, 4).half())\n"


def said(page):
    return re.sub(r"\x1b\[[\d;]*m", "", page.getvalue())


class OnTerminal:
    """`miscast ARGS` on a terminal; iterates over what is printed, without its colours."""

    def __init__(self, folder, *args):
        self._ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "miscast", *args]
        env = os.environ | {"PYTHONPATH": SOURCE, "COLUMNS": "100", "TERM": "xterm"}
        self.process = subprocess.Popen(command, cwd=folder, env=env, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        self.said = ""

    def until(self, text=None):
        """Read until a text was printed, or all."""
        while text is None or text not in self.said:
            try:
                piece = os.read(self._ours, 1 << 16)
            except OSError:
                assert text is None, self.said
                os.close(self._ours)
                return self.process.wait(timeout=60)
            self.said += re.sub(r"\x1b\[[\d;]*[mK]|\r", "", piece.decode())
        return None


def test_on_a_terminal_a_finding_is_told_while_the_program_runs_and_an_interrupt_loses_nothing(tmp_path):
    (tmp_path / "run.py").write_text(f"{FAULTY}print('at work', end='', flush=True)\ntime.sleep(600)\n")
    shell = OnTerminal(tmp_path, "check", "--machine", "v100", "run.py")
    shell.until("torch   RuntimeError: mat1 and mat2")
    assert "1 error[operand-dtype-mismatch]  linear mixes float16" in shell.said
    assert shell.process.poll() is None
    shell.until("at work")
    shell.process.send_signal(signal.SIGINT)
    assert shell.until() == 130
    assert "1 error · " in shell.said
    assert "interrupt" in shell.said
    assert shell.said.count("error[operand-dtype-mismatch]") == 1


def test_on_a_terminal_a_fix_follows_its_finding(tmp_path):
    (tmp_path / "run.py").write_text(
        "import torch\nnet, x = torch.nn.Linear(4, 4), torch.ones(2, 4)\nfor _ in range(3):\n    net(x.half())\n"
    )
    shell = OnTerminal(tmp_path, "check", "--machine", "v100", "run.py")
    assert shell.until() == 1
    order = ["1 error[operand", "\n  fix 1   ", "(verified)", "1 operand-dtype-mismatch at run.py:4: 3 times in total"]
    places = [shell.said.find(text) for text in (*order, "1 error · ")]
    assert -1 not in places, shell.said
    assert places == sorted(places)


@pytest.fixture
def grown():
    """Return a report with one finding, with more of it, and what it comes to."""
    one = report(traces.linear(), traces.conv())
    first, *rest = one.findings
    fix = Fix(title="cast it", verified=True)
    more = replace(first, count=7, ranks=(0, 1), fixes=(fix, *first.fixes))
    return [replace(one, findings=(first,)), replace(one, findings=(more,)), replace(one, findings=(more, *rest))]


def test_a_report_that_grows_is_told_once(grown):
    page = Terminal()
    writer = GrowingText(page, verbose=False)
    for step in grown[:2]:
        writer.grown(step)
        writer.grown(step)
    assert said(page).count("linear mixes") == 1
    assert said(page).count("fix 1   cast it (verified)") == 1
    writer.ended(grown[2])
    tail = said(page).partition("cast it")[2]
    writer.grown(replace(grown[0], findings=(replace(grown[1].findings[0], fixes=(Fix(title="b", verified=True),)),)))
    assert said(page).endswith("or 1    b (verified)\n")
    assert "1 operand-dtype-mismatch at train.py:22: 7 times in total\n  ranks   0, 1\n" in tail
    assert "linear mixes" not in tail
    assert "(×" not in tail


def test_a_finding_that_another_replaced_is_named(grown):
    page = Terminal()
    writer = GrowingText(page, verbose=False)
    writer.grown(grown[0])
    writer.ended(replace(grown[0], findings=full().findings[1:2]))
    assert "1 operand-dtype-mismatch at train.py:22: replaced by a more specific finding\n" in page.getvalue()


def test_lines_of_json_say_what_is_new(grown):
    page = io.StringIO()
    writer = JsonLines(page)
    for step in grown:
        writer.grown(step)
    writer.ended(grown[2])
    *events, last = map(json.loads, said(page).splitlines())
    numbers = [(one["event"], one["number"]) for one in events]
    assert numbers == [("finding", 1), ("fix", 1), *(("finding", n + 2) for n in range(len(grown[2].findings) - 1))]
    assert events[1]["fix"]["title"] == "cast it"
    assert last["numbers"] == [n + 1 for n in range(len(grown[2].findings))]
    assert last["report"]["findings"][0]["count"] == 7


def test_lines_name_a_cause_by_its_number():
    told = full()
    events = [json.loads(line) for line in render(told).splitlines()[:-1]]
    causes = [one["finding"]["consequence_of"] for one in events]
    assert causes == [None if f.consequence_of is None else f.consequence_of + 1 for f in told.findings]
    assert any(causes)
