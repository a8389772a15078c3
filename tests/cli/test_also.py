"""`check --also`: more sets of arguments in one check, and what no run took is told."""

from __future__ import annotations

import json
import textwrap

import pytest

from command import miscast_in
from miscast.cli import _parser, main

PROGRAM = """
    import argparse
    import torch

    parser = argparse.ArgumentParser()
    parser.add_argument("--dtype", choices=["fp32", "fp16", "bf16"], default="fp32")
    parser.add_argument("--wrong", action="store_true")
    args = parser.parse_args()
    model = torch.nn.Linear(4, 4).cuda()
    if args.wrong:
        torch.nn.Linear(4, 4)(torch.ones(2, 4, device="cuda"))
    if args.dtype == "fp16":
        model.half()
    model(torch.ones(2, 4, device="cuda"))
    if args.dtype == "bf16":
        raise SystemExit(3)
"""


MENDABLE = """
    import argparse
    import torch

    parser = argparse.ArgumentParser()
    parser.add_argument("--dtype", choices=["fp32", "fp16"], default="fp32")
    dtype = {"fp32": torch.float32, "fp16": torch.float16}[parser.parse_args().dtype]
    model = torch.nn.Linear(4, 4).cuda().to(dtype)
    noise = torch.randn(2, 4, device="cuda")
    print(model(noise).sum().item())
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(textwrap.dedent(PROGRAM))
    return path


def test_what_other_arguments_show_is_told_with_them(script):
    also = "--also", "--dtype fp16", "--also", "--dtype bf16"
    done = miscast_in(script.parent, "check", "--machine", "v100", "--format", "json", *also, script.name, "--wrong")
    report = json.loads(done.stdout)
    assert [(one["about"], one.get("arguments")) for one in report["findings"]] == [
        ("device", None), ("dtype", ["--dtype", "fp16"]),
    ]  # fmt: skip
    assert report["ended"] == "with --dtype bf16: the program exited with 3 at train.py:16"
    told = [note for note in report["notes"] if note.startswith(("with", "not tried"))]
    assert told[0].endswith("1 more found")
    assert "nothing else found, and then the program exited with 3" in told[1]
    assert len(told) == 2
    assert done.returncode == 1


def test_a_fix_is_proven_with_the_arguments_that_show_the_fault(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent(MENDABLE))
    options = "--machine", "v100", "--format", "json", "--fixes", "300", "--also", "--dtype fp16"
    done = miscast_in(tmp_path, "check", *options, script.name)
    (found,) = json.loads(done.stdout)["findings"]
    assert found["arguments"] == ["--dtype", "fp16"]
    proven = [one["title"] for one in found["fixes"] if one["verified"]]
    assert any("dtype=dtype" in title for title in proven)


def test_what_no_run_took_is_told(script):
    options = "--machine", "v100", "--verbose", "--fixes", "0", "--also", "--dtype fp16"
    done = miscast_in(script.parent, "check", *options, script.name)
    told = " ".join(done.stdout.split())
    assert "linear mixes float32" in told
    assert " with --dtype fp16 help " in told
    assert "options not tried: --dtype bf16 (try --also '--dtype bf16')" in told


def test_it_runs_in_a_box_only(script, monkeypatch, capsys):
    monkeypatch.chdir(script.parent)
    assert main(["check", "--network", "--also", "--dtype fp16", script.name]) == 2
    assert "--also" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "also", "args"),
    [
        (["--also", "--half", "train.py"], [["--half"]], []),
        (["--also", "--dtype=fp16", "--also", "--half --x", "t.py"], [["--dtype=fp16"], ["--half", "--x"]], []),
        (["--also=--half", "train.py", "--also", "--half"], [["--half"]], ["--also", "--half"]),
        (["train.py", "--also", "--half"], [], ["--also", "--half"]),
    ],
)
def test_one_flag_can_be_given(words, also, args):
    options = _parser(["check"]).parse_args(["check", *words])
    assert (options.also, options.target[0], options.args) == (also, "t", args)


def test_an_option_of_the_command_is_no_value(capsys):
    assert main(["check", "--also", "--strict", "train.py"]) == 2
    assert "argument --also: expected one argument" in capsys.readouterr().err
