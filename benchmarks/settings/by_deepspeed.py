"""DeepSpeed's own engine: `deepspeed.initialize(config="ds.json")`, in two processes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from combination import Combination

TITLE, PACKAGES = "DeepSpeed", ("deepspeed", "torch")
PROGRAM = """\
import deepspeed
import torch
from torch import nn

import probe

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 8))
probe.watch(model)
engine, *_ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config="ds.json")
for step in range(2):
    x = torch.randn(4, 8, device=engine.device)
    for dtype in (torch.float16, torch.bfloat16):
        if next(model.parameters()).dtype is dtype:
            x = x.to(dtype)
    engine.backward(engine(x).float().square().mean())
    engine.step()
probe.tell()
"""
HALVES = {
    "float32": "", "fp16": '"fp16": {"enabled": true}, ', "bf16": '"bf16": {"enabled": true}, ',
    "both": '"fp16": {"enabled": true}, "bf16": {"enabled": true}, ',
    "fp16, fixed scale": '"fp16": {"enabled": true, "loss_scale": 128}, ',
    "bfloat16": '"bfloat16": {"enabled": true}, ',
    "autocast": '"torch_autocast": {"enabled": true, "dtype": "bfloat16"}, ',
    "bf16, half masters": '"bf16": {"enabled": true, "bf16_master_weights_and_grads": true}, ',
    "bf16, half masters and states":
        '"bf16": {"enabled": true, "bf16_master_weights_and_grads": true, "bf16_optimizer_states": true}, ',
    "bf16 with loss_scale": '"bf16": {"enabled": true, "loss_scale": 0}, ',
}  # fmt: skip
MORE = {
    "": "", "fp32 on the wire": '"communication_data_type": "fp32", ',
    "fp16 on the wire": '"communication_data_type": "fp16", ',
    "fp64 on the wire": '"communication_data_type": "fp64", ',
    "fp32 accumulation": '"data_types": {"grad_accum_dtype": "fp32"}, ',
    "amp": '"amp": {"enabled": true}, ',
}  # fmt: skip


def combination(half: str, stage: int, more: str) -> Combination:
    """One JSON."""
    json = (
        f'{{{HALVES[half]}{MORE[more]}"zero_optimization": {{"stage": {stage}}}, "train_micro_batch_size_per_gpu": 4, '
        '"optimizer": {"type": "Adam", "params": {"lr": 0.001, "torch_adam": true}}}\n'
    )
    return Combination(
        family="by_deepspeed", name=f"{half}, ZeRO-{stage}{more and ', '}{more}",
        files={"train.py": PROGRAM, "ds.json": json}, needs=(), machine="2xa100",
        command=("torchrun", "--nproc_per_node", "2", "train.py"),
    )  # fmt: skip


def grid() -> Iterator[Combination]:
    """Half × stage; what is sent and summed."""
    for half, stage in itertools.product(HALVES, range(4)):
        yield combination(half, stage, "")
    for half, stage, more in itertools.product(("float32", "fp16", "bf16"), (0, 2), list(MORE)[1:]):
        yield combination(half, stage, more)
