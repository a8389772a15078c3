"""What each command writes as JSON is of its published schema, and has no key that the schema does not know."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from command import SOURCE, miscast_in
from miscast.cli import main
from miscast.report import renderer
from miscast.schemas import schemas
from reports import everything, full, report

SCHEMAS = schemas()
PROGRAM = """\
import torch
net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 1)).half()
x = torch.ones(2, 4)  # miscast: ignore[loss-rounds] never
loss = net(x.half()).float().mean() * 1e30 * 1e30
loss.backward()
"""
FAULTY = f"{PROGRAM}torch.mm(x, x.half().T)\n"
FLIGHT = [
    {"event": "start", "version": 1, "time": 1.0, "torch": "2.13.0", "parameters": 20},
    {"event": "step", "step": 1, "loss": 1.5, "norm": 3.2, "of": "clip", "lr": 0.1, "seconds": 0.4},
    {"event": "weights", "step": 1, "ratios": {"net.0": 0.001}},
    {"event": "step", "step": 2, "loss": "nan", "norm": "inf", "seconds": 0.4},
    {"event": "trip", "step": 2, "kind": "non-finite", "what": "the loss is nan",
     "rerun": {"producers": [{"op": "log", "location": {"file": "t.py", "line": 4, "code": "log(q)"}}]}},
    {"event": "trip", "step": 3, "kind": "exploding", "what": "the norm is 9000"},
    {"event": "recovery", "step": 3, "did": "left the step out"},
]  # fmt: skip


def strict(schema):
    """No object may have a key that is not declared."""
    if isinstance(schema, dict):
        told = {key: strict(value) for key, value in schema.items()}
        return {**told, "additionalProperties": False} if "properties" in schema else told
    return [strict(one) for one in schema] if isinstance(schema, list) else schema


def no_number(text):
    raise AssertionError(f"{text} is no JSON")


def valid(text, name):
    told = json.loads(text, parse_constant=no_number)
    found = jsonschema.Draft202012Validator(strict(SCHEMAS[name])).iter_errors(told)
    assert [f"{error.json_path}: {error.message[:200]}" for error in found] == []
    return told


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(FAULTY, encoding="utf-8")
    Path("loses.py").write_text(PROGRAM, encoding="utf-8")
    Path("flight.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in FLIGHT), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("made", [report, full, everything])
def test_a_check(made):
    assert valid(renderer("json")(made()), "report")["schema"] == 1


@pytest.mark.parametrize("made", [report, full, everything])
def test_the_lines_of_a_check(made):
    events = [valid(line, "lines")["event"] for line in renderer("jsonl")(made()).splitlines()]
    assert events == ["finding"] * len(made().findings) + ["report"]


def test_lines_come_through_a_pipe_as_they_are_found(here):
    (here / "train.py").write_text(f"{FAULTY}import time\ntime.sleep(600)\n", encoding="utf-8")
    command = [sys.executable, "-m", "miscast", "check", "--format", "jsonl", "--machine", "v100", "train.py"]
    env = os.environ | {"PYTHONPATH": SOURCE}
    with subprocess.Popen(command, cwd=here, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as ran:
        first = valid(ran.stdout.readline(), "lines")
        assert ran.poll() is None
        ran.send_signal(signal.SIGINT)
        *_, last = [valid(line, "lines") for line in ran.stdout]
    assert (first["event"], first["finding"]["op"]) == ("finding", "mm")
    assert "interrupt" in last["report"]["ended"]


def test_what_is_not_of_the_schema_is_refused():
    told = json.loads(renderer("json")(full()))
    for broken in ({**told, "torch": 3}, {**told, "news": 1}, {key: told[key] for key in told if key != "machine"}):
        with pytest.raises(AssertionError):
            valid(json.dumps(broken), "report")


def test_a_lint(capsys):
    half = "fp16: true  # miscast: ignore[both-half-dtypes]\nbf16: true\n"
    text = f"output_dir: o\nper_device_train_batch_size: 1\n{half}"
    Path("train.yaml").write_text(text, encoding="utf-8")
    assert main(["lint", "--format", "json", "train.yaml"]) == 0
    assert valid(capsys.readouterr().out, "lint")["suppressions"]["suppressed"][0]["by"] == "comment"


def test_an_explanation(capsys):
    Path("log").write_text("RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half\n", "utf-8")
    assert main(["explain", "--format", "json", "log"]) == 1
    assert len(valid(capsys.readouterr().out, "explanations")["explanations"]) == 1


def test_a_flight(capsys):
    assert main(["flight", "--format", "json", "flight.jsonl"]) == 1
    told = valid(capsys.readouterr().out, "flight")
    assert told["flight"]["series"]["loss"] == [[1, 1.5], [2, "nan"]]
    assert [(one["rule"], one["severity"]) for one in told["findings"]] == [
        ("non-finite", "error"), ("exploding", "warning"),
    ]  # fmt: skip
    assert told["findings"][0]["location"]["line"] == 4


@pytest.mark.parametrize("form", ["sarif", "junit", "github", "gitlab", "markdown"])
def test_a_flight_is_told_in_every_format(form, capsys):
    assert main(["flight", "--format", form, "flight.jsonl"]) == 1
    out = capsys.readouterr().out
    assert "step 2: the loss is nan" in out
    assert "recovery" not in out
    assert "t.py" in out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("report", ["check", "--tree", "--machine", "v100", "train.py"]),
        ("fix", ["fix", "--machine", "v100", "train.py"]),
        ("shadow", ["run", "--shadow", "loses.py"]),
        ("shadow", ["run", "--shadow", "--against", "fp32", "loses.py"]),
        ("matrix", ["matrix", "--machine", "v100,cpu", "--jobs", "1", "--results", "kept", "train.py"]),
    ],
    ids=["check", "fix", "shadow", "against", "matrix"],
)
def test_what_a_run_writes(name, arguments, here):
    command, *rest = arguments
    ran = miscast_in(here, command, "--format", "json", "--output", "told.json", *rest)
    told = valid((here / "told.json").read_text(encoding="utf-8"), name)
    assert "findings" in told, ran.stderr
    keys = {"report": "tree", "fix": "mending", "matrix": "matrix"}
    assert keys.get(name, "against" if "--against" in rest else "shadow") in told
