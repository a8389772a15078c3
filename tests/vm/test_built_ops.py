"""What DeepSpeed or a program would compile when it is first used is not compiled."""

from __future__ import annotations

import json

import torch

import miscast
from command import miscast_in

BUILDER = """
class OpBuilder:
    def __init__(self, name):
        self.name = name

    def load(self, verbose=False):
        raise RuntimeError(f"Error building extension '{self.name}'")
"""
PROGRAM = """
import torch
from deepspeed.ops.op_builder.builder import OpBuilder

adam = OpBuilder("fused_adam").load()
p = torch.ones(3, device="cuda")
assert adam.multi_tensor_adam(2048, p, [[p], [p], [p], [p]], 1e-3, 0.9, 0.999, 1e-8, 1, 1, 1, 0.0) is None
assert OpBuilder("fused_lamb").load().lamb(p, p, p, p, p).item() == 1
try:
    OpBuilder("of_its_own").load()
except RuntimeError:
    pass
"""


def test_optimizers_are_there(tmp_path):
    folder = tmp_path / "deepspeed" / "ops" / "op_builder"
    folder.mkdir(parents=True)
    (folder / "builder.py").write_text(BUILDER, encoding="utf-8")
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    done = miscast_in(tmp_path, "check", "--format", "json", "--machine", "a100", "program.py")
    report = json.loads(done.stdout)
    assert report["ended"] is None, done.stderr
    assert [note for note in report["notes"] if "fused_adam was not compiled" in note]


def test_sources_in_cuda_are_not_compiled_and_the_kernel_of_all_devices_runs():
    def program():
        from torch.utils import cpp_extension

        def compiled(*_):
            cpp_extension.load(name="unpacking", sources=["unpack.cu", "bindings.cpp"])

        with torch.library._scoped_library("packing", "FRAGMENT") as library:
            library.define("unpack(Tensor packed, int bits) -> Tensor")
            library.impl("unpack", lambda packed, bits: packed >> bits, "CompositeExplicitAutograd")
            library.impl("unpack", compiled, "CUDA")
            out = torch.ops.packing.unpack(torch.ones(4, dtype=torch.uint8, device="cuda"), 4)
        return out.dtype, str(out.device), torch.ones(2, 2, device="cuda") @ out[:2].half()

    report = miscast.check(program, machine="h100")
    assert (report.failed, [one.rule for one in report.findings]) == (None, ["operand-dtype-mismatch"])
    assert report.result[:2] == (torch.uint8, "cuda:0")
    assert "sources in CUDA were not compiled" in report.notes
