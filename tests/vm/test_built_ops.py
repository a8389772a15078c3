"""What DeepSpeed would compile when it is first used is not compiled."""

from __future__ import annotations

import json

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
