"""`tools/op_probe` against direct calls of torch: it writes what torch does, whatever becomes of its workers."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch.nn import functional as F

from miscast.torch_facts.contracts.signature import DTYPES
from miscast.torch_facts.contracts.table import Table
from op_probe.__main__ import main
from op_probe.sweep import Sweep

SMALL = """\
import os, time
import torch
from op_probe.units import Program, Unit

library = torch.library.Library("probed", "DEF")

def op(name, act):
    library.define(f"{name}(Tensor x) -> Tensor")
    def impl(x):
        if x.dtype == torch.float64:
            act()
        return x.clone()
    library.impl(name, impl, "CPU")
    def programs(device, dtype):
        if dtype == torch.float32:
            yield Program(lambda: getattr(torch.ops.probed, name)(torch.ones(2)))
            yield Program(lambda: torch.ones(2).neg())
    return Unit(name, programs)

def dead(device, dtype):
    yield Program(os.abort)

def units():
    yield op("fine", lambda: None)
    yield op("aborts", os.abort)
    yield op("hangs", lambda: time.sleep(1000))
    yield Unit("dead", dead)
"""


def swept(output: Path, **options) -> tuple[dict, list[dict]]:
    """A sweep's first line and its others."""
    Sweep(**{"device": "cpu", "output": output, "seconds": 120, "workers": 1} | options).run()
    return read(output)


def read(table: Path) -> tuple[dict, list[dict]]:
    head, *lines = map(json.loads, gzip.decompress(table.read_bytes()).splitlines())
    return head, lines


@pytest.fixture
def small(tmp_path, monkeypatch):
    """The name of a module with a few ops of its own."""
    (tmp_path / "few_ops.py").write_text(SMALL, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return "few_ops"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """What is measured of linear and add."""
    output = tmp_path_factory.mktemp("probe") / "cpu-0.0.0.jsonl.gz"
    swept(output, ops=("linear", "add"))
    return Table(output)


def outcome(function, *args) -> tuple[str, str]:
    try:
        with torch.no_grad():
            return ("runs", str(function(*args).dtype)[6:])
    except (RuntimeError, NotImplementedError, TypeError) as error:
        return ("raises", str(error).splitlines()[0])


CALLS = {
    "linear": ("aten.linear", ("input", "weight"), F.linear, (torch.ones(2, 3), torch.ones(4, 3))),
    "add": ("aten.add.Tensor", ("self", "other"), torch.add, (torch.ones(2, 3), torch.ones(2, 3))),
    "add, a number": ("aten.add.Tensor", ("self", "other"), torch.add, (torch.ones(2), torch.ones(()))),
    "add into": ("aten.add_.Tensor", ("self", "other"), torch.Tensor.add_, (torch.ones(2, 3), torch.ones(2, 3))),
}


@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
@pytest.mark.parametrize("case", CALLS)
def test_every_pair_of_dtypes_goes_as_torch_goes(table, case):
    op, operands, function, values = CALLS[case]
    row = table.row(op, operands)
    pairs = 0
    for dtypes in itertools.product("hbfdli?1FD", repeat=2):
        written = "".join(d + ("" if v.dim() else "0") for d, v in zip(dtypes, values, strict=True))
        if written not in row.runs and written not in row.raises:
            continue
        pairs += 1
        given = [v.to(getattr(torch, DTYPES[d])) for v, d in zip(values, dtypes, strict=True)]
        which, text = outcome(function, *given)
        said = ("runs", DTYPES[row.runs[written]]) if written in row.runs else ("raises", row.raises[written])
        assert said == (which, text), written
    assert pairs > 60


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_autocast_lines_say_what_autocast_changes(table, dtype):
    _, lines = read(table.path)
    line = next(x for x in lines if x["op"] == "aten.linear" and x.get("autocast") == dtype and len(x["operands"]) == 2)
    told = {sig: DTYPES[letter] for letter, sigs in line["runs"].items() for sig in sigs.split()}
    assert told["ff"] == told["fh"] == dtype
    for written, result in told.items():
        x, w = (torch.ones(2, 2).to(getattr(torch, DTYPES[d])) for d in written)
        with torch.autocast("cpu", dtype=getattr(torch, dtype)):
            assert str(F.linear(x, w).dtype)[6:] == result, written


def test_a_backward_pass_goes_as_torch_s_goes(tmp_path):
    """A view of float8 runs; its backward pass has to sum, and cannot."""
    _, lines = swept(tmp_path / "t.gz", ops=("expand",))
    line = next(line for line in lines if line["op"] == "aten.expand")
    told = {letter: text for text, letters in line["backward"].items() for letter in letters.split()}
    assert {"1", "2"} <= told.keys()
    ran = {letter for letters in line["runs"].values() for letter in letters.split()}
    for letter in ran:
        dtype = getattr(torch, DTYPES[letter[0]])
        if not (dtype.is_floating_point or dtype.is_complex) or "0" in letter:
            continue
        x = torch.ones(1, 3).to(dtype).requires_grad_()
        y = x.expand(2, 3)
        if letter not in told:
            y.backward(torch.ones_like(y))
            continue
        with pytest.raises(RuntimeError) as raised:
            y.backward(torch.ones_like(y))
        assert str(raised.value).splitlines()[0] == told[letter]


def test_a_crash_or_hang_costs_one_op(small, tmp_path):
    head, lines = swept(tmp_path / "t.gz", sources=(small,), timeout=20.0, workers=2)
    assert head["crashed"] == ["dead", "probed.aborts", "probed.hangs"]
    assert head["unfinished"] == []
    runs = {line["op"]: line["runs"] for line in lines}
    assert runs.keys() == {"aten.clone", "aten.neg", "aten.ones", "probed.fine"} & runs.keys()
    assert runs["probed.fine"]["d"] == "d"
    assert runs["aten.neg"]["h"] == "h"


def test_time_is_bounded_and_what_was_not_reached_is_named(small, tmp_path):
    head, _ = swept(tmp_path / "t.gz", sources=(small,), ops=("hangs", "fine"), seconds=15, timeout=100.0)
    assert "hangs" in head["unfinished"]
    assert head["crashed"] == []


def test_the_same_bytes_whatever_the_workers(tmp_path):
    tables = [tmp_path / f"{workers}.gz" for workers in (1, 2)]
    for workers, output in zip((1, 2), tables, strict=True):
        swept(output, ops=("add", "mul", "linear"), workers=workers)
    assert tables[0].read_bytes() == tables[1].read_bytes()


REFUSED = {
    "an unknown op": (["--ops", "lineer"], "unknown op 'lineer': did you mean linear?"),
    "an absent device": (["--device", "xpu"], "finds no xpu device"),
    "no such folder": (["--output", "no/where.gz"], "cannot write the table to no/where.gz"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_probed_is_one_line_and_2(case, tmp_path, capsys):
    args, said = REFUSED[case]
    assert main(["--output", str(tmp_path / "t.gz"), *args]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert said in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--device", "tpu"], "invalid choice: 'tpu'"),
        (["--seconds", "0"], "expected a whole number from 1 to 1,000,000, got '0'"),
    ],
)
def test_a_wrong_argument_is_told(args, said, tmp_path, capsys):
    with pytest.raises(SystemExit) as end:
        main(["--output", str(tmp_path / "t.gz"), *args])
    assert end.value.code == 2
    assert said in capsys.readouterr().err


def test_an_interrupt_leaves_what_was_measured(tmp_path):
    output = tmp_path / "t.gz"
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [
        sys.executable,
        "-c",
        INTERRUPTED,
        "--ops",
        "mul,add,linear",
        "--output",
        str(output),
        "--workers",
        "1",
    ]
    ran = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == 2, ran.stderr
    assert ran.stderr.startswith(f"miscast: interrupted; {output} holds what was measured: ")
    head, lines = read(output)
    assert head["unfinished"]
    assert lines


# Sends itself Ctrl-C's signal once the first op was measured: no clock, so no race.
INTERRUPTED = f"""\
import os, signal, sys, threading, time
from op_probe import sweep
from op_probe.__main__ import main

def interrupt(take=sweep.Sweep._take):
    def taken(self, event):
        take(self, event)
        os.kill(os.getpid(), {int(signal.SIGINT)})  # after the first op
    return taken

sweep.Sweep._take = interrupt()
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
sys.exit(main())
"""
