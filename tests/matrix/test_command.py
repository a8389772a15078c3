"""`miscast matrix` as a user calls it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from miscast.cli import main
from sweep import sweep

PROGRAM = """
    import argparse, os, signal, sys, time
    import torch
    from torch import nn
    from settings import BATCH

    parser = argparse.ArgumentParser()
    parser.add_argument("--half", action="store_true")
    parser.add_argument("--how", default="ends")
    args = parser.parse_args()
    print("how", args.how, os.environ.get("COLOUR"), flush=True)
    with open("config.yaml") as file:
        wide = "wide: true" in file.read()
    if args.how == "dies":
        sys.stderr.write("the last words")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    while args.how == "hangs":
        time.sleep(1)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = nn.Linear(64, 2048 if wide else 4, device=device)
    if args.half:
        model.half()
    for _ in range(2):
        model(torch.randn(BATCH, 64, device=device)).sum().backward()
    open("out.txt", "w").write("done")
"""


@pytest.fixture
def folder(tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    (work / "train.py").write_text(textwrap.dedent(PROGRAM))
    (work / "settings.py").write_text("BATCH = 8\n")
    (work / "config.yaml").write_text("# how\nwide: false\n")
    return work


def started(folder, *words):
    options = ["--results", str(folder.parent / "kept"), "--jobs", "2", "--format", "json"]
    return subprocess.Popen(
        [sys.executable, "-m", "miscast", "matrix", *options, *words],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def ran(folder, *words):
    process = started(folder, *words)
    out, err = process.communicate(timeout=600)
    assert out, err
    return process.returncode, json.loads(out)


def cells(report):
    return {tuple(cell["settings"].values()): cell for cell in report["matrix"]["cells"]}


def test_cells_that_end_find_die_and_hang(folder):
    machines = ("--machine", "v100,cpu")
    ways = "{--half,--how ends,--how dies,--how hangs}"
    code, report = ran(folder, *machines, "--vary", ways, "--cell-limit", "25", "train.py")
    found = cells(report)
    assert [one["rule"] for one in report["findings"]] == ["operand-dtype-mismatch"]
    assert report["findings"][0]["cells"] == "2 of 8 combinations: those with --half"
    for machine in ("v100", "cpu"):
        assert found[machine, "--half"]["status"] == "found"
        assert found[machine, "--how ends"]["status"] == "ok"
        assert found[machine, "--how dies"]["status"] == "failed"
        assert found[machine, "--how dies"]["unseen"] == "the run was killed (SIGKILL)"
        assert found[machine, "--how dies"]["said"].endswith("the last words")
        assert found[machine, "--how hangs"]["unseen"] == "not finished within 25 s"
        assert found[machine, "--how hangs"]["said"].startswith("how hangs")
    assert found["v100", "--how ends"]["peak"] > 0
    assert code == 1
    assert not (folder / "out.txt").exists()

    code, report = ran(folder, *machines, "--vary", "{--half,--how ends}", "train.py")
    assert [cell["known"] for cell in report["matrix"]["cells"]] == [True] * 4
    (folder / "settings.py").write_text("BATCH = 16\n")
    code, report = ran(folder, *machines, "--vary", "{--half,--how ends}", "train.py")
    assert [cell["known"] for cell in report["matrix"]["cells"]] == [False] * 4


@pytest.mark.parametrize("box", ["kernel", "python"])
def test_environment_and_configurations(box, folder, monkeypatch):
    monkeypatch.setenv("MISCAST_BOX", box)
    axes = ("--vary", "COLOUR={red,blue}", "--vary", "config.yaml:wide={true,false}")
    code, report = ran(folder, "--machine", "v100", *axes, "train.py")
    found = cells(report)
    assert code == 0
    assert found["v100", "red", "true"]["peak"] == found["v100", "blue", "true"]["peak"]
    assert found["v100", "red", "true"]["peak"] > 100 * found["v100", "red", "false"]["peak"] > 0
    assert (folder / "config.yaml").read_text() == "# how\nwide: false\n"
    assert sorted(file.name for file in folder.iterdir()) == ["config.yaml", "settings.py", "train.py"]


def test_an_interrupt_leaves_what_was_done_and_resume_goes_on(folder):
    process = started(folder, "--machine", "v100", "--vary", "{--how ends,--how hangs}", "train.py")
    until = time.monotonic() + 300
    while not _kept(folder):
        assert time.monotonic() < until
        assert process.poll() is None
        time.sleep(0.2)
    out = _interrupted(process)
    report = json.loads(out)
    assert [cell["status"] for cell in report["matrix"]["cells"]] == ["ok", "open"]
    assert "interrupted: 1 combination not run" in report["notes"][0]
    assert process.returncode == 130

    (folder / "train.py").write_text(textwrap.dedent(PROGRAM).replace('== "hangs"', '== "no more"'))
    code, report = ran(folder, "--resume")
    assert code == 0
    assert [cell["status"] for cell in report["matrix"]["cells"]] == ["ok", "ok"]


def _interrupted(process):
    """What it says; an interrupt that Python met within a destructor is lost, and a person would press again."""
    for _ in range(4):
        process.send_signal(signal.SIGINT)
        try:
            return process.communicate(timeout=30)[0]
        except subprocess.TimeoutExpired:
            continue
    process.kill()
    return process.communicate()[0]


def _kept(folder):
    return [file for file in (folder.parent / "kept").glob("*.json") if not file.name.startswith("last-")]


def test_only_what_has_changed_since_a_revision(folder):
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], cwd=folder, check=True)
    code, report = ran(folder, "--machine", "cpu", "--fresh", "--since", "HEAD", "train.py")
    assert code == 0
    assert report["notes"] == ["1 combination skipped: no file that was read has changed since HEAD"]
    assert [cell["status"] for cell in report["matrix"]["cells"]] == ["open"]
    (folder / "settings.py").write_text("BATCH = 9\n")
    code, report = ran(folder, "--machine", "cpu", "--since", "HEAD", "train.py")
    assert [cell["status"] for cell in report["matrix"]["cells"]] == ["ok"]


@sweep(
    ("words", "said"),
    [
        ([], "no program given"),
        (["--file", "no.toml"], "cannot read no.toml"),
        (["--machine", "v99", "train.py"], "unknown machine 'v99'"),
        (["--ranks", "x", "train.py"], "--ranks 'x'"),
        (["--vary", "--fp16", "train.py"], "write 'NAME={A,B}', in quotes"),
        (["--vary", "X={a,b}", "--vary", "X={c}", "train.py"], "the axis X is given twice"),
        (["--machine", "v100,v100", "train.py"], "the axis machine has the value 'v100' twice"),
        (["--ranks", "2,2", "train.py"], "the axis ranks has the value '2' twice"),
        (["--results", "train.py", "train.py"], "--results train.py: not a folder"),
        (["--vary", "no.yaml:a={1,2}", "train.py"], "No such file"),
        (["--resume"], "no matrix was started in this folder"),
        (["--resume", "train.py"], "cannot be used with a TARGET"),
        (["--since", "HEAD", "train.py"], "--since: "),
        (["--format", "xyz", "train.py"], "xyz"),
        (["--jobs", "0", "train.py"], "expected a whole number from 1 to 1,000,000"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(words, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "train.py").touch()
    assert main(["matrix", *words]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert said in err
