"""Triton's kernels on a machine that does not exist: launched nowhere, judged before, and what they write is unknown.

Triton is in a folder of its own, which `make test` fills.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from command import SOURCE, miscast_in

TRITON = Path(sys.prefix) / "triton"
pytestmark = pytest.mark.skipif(not TRITON.is_dir(), reason="Triton is not there: make test installs it")

BEGIN = """\
import torch, triton, triton.language as tl

@triton.jit
def double(x, y, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)

x = torch.randn(128, device="cuda")
y = torch.empty_like(x)
"""
LINE = BEGIN.count("\n") + 1


def checked(folder: Path, source: str, machine: str = "2xa100") -> dict:
    (folder / "program.py").write_text(BEGIN + source)
    options = ["--machine", machine, "--format", "json"]
    done = miscast_in(folder, "check", *options, "program.py", PYTHONPATH=f"{TRITON}{os.pathsep}{SOURCE}")
    return json.loads(done.stdout)


def test_a_mistake_behind_a_kernel_is_found(tmp_path):
    report = checked(
        tmp_path, "double[(1,)](x, y, 128, B=128)\ntorch.nn.functional.linear(y, torch.ones(4, 128).cuda().half())"
    )
    assert [(f["rule"], f["location"]["line"]) for f in report["findings"]] == [("operand-dtype-mismatch", LINE + 1)]
    assert report["unchecked"] == {"triton.double": 1}
    assert report["ended"] is None


CHOSEN = """\
@triton.autotune([triton.Config({"B": 32}, num_warps=2), triton.Config({"B": 64})], key=["n"])
@triton.heuristics({"WHOLE": lambda given: given["n"] % given["B"] == 0})
@triton.jit
def tuned(x, y, n, B: tl.constexpr, WHOLE: tl.constexpr):
    pass

def grid(given):
    assert (given["B"], given["WHOLE"]) == (32, True)
    return (triton.cdiv(given["n"], given["B"]),)

tuned[grid](x, y, 128)
"""
ASKED = """\
from triton.runtime import driver
from triton.testing import do_bench
target = driver.active.get_current_target()
assert (target.backend, target.arch, driver.active.get_current_device()) == ("cuda", 80, 0)
assert driver.active.utils.get_device_properties(0)["multiprocessor_count"] == 108
calls = []
assert do_bench(lambda: calls.append(1), quantiles=[0.5, 0.2, 0.8]) == [1.0, 1.0, 1.0] and calls == [1]
assert double.warmup(x, y, 128, B=64, grid=(1,)).n_spills == 0
"""
GOOD = {
    "an autotuner": CHOSEN,
    "what the driver is asked": ASKED,
    "pinned memory": "double[(1,)](torch.ones(4).pin_memory(), y, 4, B=4)",
    "nothing to do": "double[(0,)](x, torch.ones(4), 4, B=4)",
    "another device": "with torch.cuda.device(1):\n    double[(1,)](x.to('cuda:1'), y.to('cuda:1'), 128, B=128)",
    "numbers that it wrote": (
        "count = torch.zeros(1, dtype=torch.int64, device='cuda')\ndouble[(1,)](x, count, 1, B=1)\n"
        "total = torch.zeros(1, device='cuda')\ndouble[(1,)](x, total, 1, B=1)\nassert total.item()"
    ),
    "a call that lacks an argument": (
        "try:\n    double[(1,)](x, y, 128)\nexcept TypeError as error:\n    assert 'B' in str(error)\n"
        "else:\n    raise SystemExit('no error')"
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_no_false_alarm(tmp_path, name):
    report = checked(tmp_path, GOOD[name])
    assert (report["findings"], report["ended"]) == ([], None)


POINTERS = {
    "of the host": (
        "double[(1,)](x, torch.ones(4), 4, B=4)",
        "triton.double expects `y` on cuda:0 but got cpu",
    ),
    "of another device": (
        "double[(1,)](x.to('cuda:1'), y, 128, B=128)",
        "triton.double expects `x` on cuda:0 but got cuda:1",
    ),
    "of the first device": (
        "with torch.cuda.device(1):\n    double[(1,)](x.to('cuda:1'), y, 128, B=128)",
        "triton.double expects `y` on cuda:1 but got cuda:0",
    ),
    "both of the host": (
        "double[(1,)](torch.ones(4), torch.ones(4), 4, B=4)",
        "triton.double expects `x` on cuda:0 but got cpu",
    ),
}


@pytest.mark.parametrize("name", POINTERS)
def test_a_pointer(tmp_path, name):
    source, message = POINTERS[name]
    finding = checked(tmp_path, source)["findings"][0]
    assert (finding["rule"], finding["message"]) == ("operand-device-mismatch", message)
    assert finding["location"]["line"] == LINE + source.count("\n")


def test_without_a_gpu_triton_itself_says_so(tmp_path):
    report = checked(tmp_path, "double[(1,)](x.cpu(), y.cpu(), 128, B=128)", machine="cpu")
    assert "0 active drivers" in report["ended"]
