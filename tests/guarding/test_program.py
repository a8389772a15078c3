"""`miscast run --guard`: a program that knows nothing of it; and `miscast flight`, which draws what it recorded."""

from __future__ import annotations

import json
import signal
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import warm
from miscast.cli import main
from miscast.guarding.log import Log

PROGRAM = """import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.1), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(12):
    x = torch.randn(16, 8)
    y = x.sum(-1, keepdim=True) * (step != BAD)
    optimizer.zero_grad()
    error = (net(x) - y).abs()
    loss = (error / y.abs().mean()).mean()
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.4f}")
"""


def run(tmp_path: Path, *options: str, bad: int = 99, program: str = PROGRAM):
    (tmp_path / "train.py").write_text(f"BAD = {bad}\n{program}", "utf-8")
    return warm.python("-m", "miscast", "run", *options, "train.py", folder=tmp_path, timeout=250)


def lines(file: Path):
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def tripped(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tripped")
    return folder, run(folder, "--guard", bad=9)


def test_the_program_ends_with_the_line_at_fault(tripped):
    folder, ran = tripped
    assert ran.returncode == 1
    assert [line.split()[0] for line in ran.stdout.splitlines()] == [str(step) for step in range(9)]
    assert "TrippedError: non-finite  step 10: the loss is inf\n  div made 16 inf in float32\n" in ran.stderr
    assert "train.py:13  in <module>" in ran.stderr
    assert "loss = (error / y.abs().mean()).mean()" in ran.stderr
    assert "bit-identical (loss and gradients)" in ran.stderr
    assert "overflow-nan" not in ran.stderr  # nothing is explained twice
    assert ran.stderr.rstrip().splitlines()[-1].startswith("miscast.guard: 10 steps, 1 alarm, ")
    events = [line["event"] for line in lines(folder / "flight.jsonl") if line["event"] != "weights"]
    assert events == ["start", *["step"] * 10, "trip"]


def test_what_was_recorded_is_drawn(tripped, capsys):
    folder, _ = tripped
    assert main(["flight", str(folder / "flight.jsonl")]) == 1
    told = capsys.readouterr().out
    assert ": 10 steps" in told
    assert "→ inf (" in told
    assert "!" in told
    assert "non-finite  step 10: the loss is inf\n  first: div  " in told
    assert main(["flight", str(folder / "flight.jsonl"), "--html", str(folder / "page.html")]) == 1
    page = (folder / "page.html").read_text("utf-8")
    drawn = [ET.fromstring(f"<svg{part.partition('</svg>')[0]}</svg>") for part in page.split("<svg")[1:]]
    assert len(drawn) >= 2
    assert all(list(one.iter("polyline")) for one in drawn)
    assert not [word for word in ("http:", "https:", "src=") if word in page]


def test_output_and_end_are_the_programs_own(tmp_path):
    """The same output with the guard and without, and one line more on stderr."""
    guarded, bare = run(tmp_path, "--guard", "--flight", "here.jsonl"), run(tmp_path)
    assert (guarded.stdout, guarded.returncode) == (bare.stdout, 0)
    assert guarded.stdout.count("\n") == 12
    assert bare.stderr == ""
    assert guarded.stderr.count("\n") == 1
    assert [line["event"] for line in lines(tmp_path / "here.jsonl")].count("step") == 12
    assert not (tmp_path / "flight.jsonl").exists()


def test_no_recording_is_written_over(tmp_path):
    """A second guard in the folder, of this process or another, records in a file of its own."""
    logs = [Log(str(tmp_path / "flight.jsonl"), 1) for _ in range(2)]
    for log in logs:
        log.write("step", {"step": 1})
        log.close()
    (tmp_path / "made.jsonl").touch()
    logs += [Log(str(tmp_path / name), 1) for name in ("flight.jsonl", "made.jsonl")]
    assert [Path(log.path).name for log in logs] == ["flight.jsonl", "flight-2.jsonl", "flight-3.jsonl", "made.jsonl"]
    assert [len(lines(tmp_path / name)) for name in ("flight.jsonl", "flight-2.jsonl", "flight-3.jsonl")] == [1, 1, 0]
    for log in (*logs, Log("/dev/null", 1)):
        log.close()


def test_skipped_steps_are_left_out(tmp_path):
    ran = run(tmp_path, "--guard", "--on-trip", "skip", bad=5)
    assert ran.returncode == 0
    assert "nan" not in ran.stdout
    assert ran.stdout.count("\n") == 12
    assert "the step is skipped" in ran.stderr


def test_a_kill_loses_no_step(tmp_path):
    killed = f"    if step == 7:\n        import os; os.kill(os.getpid(), {signal.SIGKILL.value})\n"
    ran = run(tmp_path, "--guard", program=PROGRAM + killed)
    assert ran.returncode == -signal.SIGKILL
    assert [line["step"] for line in lines(tmp_path / "flight.jsonl") if line["event"] == "step"] == list(range(1, 9))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "--on-trip", "skip", "x.py"], "--on-trip needs --guard"),
        (["run", "--flight", "x.jsonl", "x.py"], "--flight needs --guard"),
        (["run", "--guard", "--flight", "/no/such/folder/x", __file__], "cannot write the steps to /no/such/folder/x"),
        (["flight", "/no/such/file"], "cannot read /no/such/file: No such file or directory"),
        (["flight", __file__], "is not a recording of miscast.guard"),
        (["flight", __file__, "--html", "/no/such/folder/x"], "cannot write the page to /no/such/folder/x"),
    ],
)
def test_what_cannot_be_is_refused(arguments, says, capsys):
    assert main(arguments) == 2
    told = capsys.readouterr().err
    assert says in told
    assert told.count("\n") == 1


def test_a_line_that_was_cut_off_is_counted(tmp_path, capsys):
    file = tmp_path / "flight.jsonl"
    file.write_text(
        '{"event":"start","version":1}\n{"event":"step","step":1,"loss":2}\n{"event":"step","step":2,"loss":"nan"}\n'
        '{"event":"step","step":3,"loss":1.5}\n{"event":"st',
        "utf-8",
    )
    assert main(["flight", str(file)]) == 0
    told = capsys.readouterr().out
    assert "3 steps, 1 line truncated" in told
    assert "2 → 1.5 (1.5 … 2)" in told


STRANGE = [
    '{"event":"trip"}',
    '{"event":"weights","ratios":{"a":"x"}}',
    '{"event":"step","step":"x","loss":true}',
    "[1]",
]


@pytest.mark.parametrize("line", STRANGE)
def test_strange_lines_are_no_errors(line, tmp_path, capsys):
    file = tmp_path / "flight.jsonl"
    file.write_text(f'{{"event":"start","version":1}}\n{line}\n', "utf-8")
    assert main(["flight", str(file)]) in (0, 1)
    assert main(["flight", str(file), "--html", str(tmp_path / "x.html")]) in (0, 1)
    assert capsys.readouterr().out
