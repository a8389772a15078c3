"""Lightning's `Trainer(precision=…, strategy=…)`: a module of torch's own layers, in one process or in two."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from combination import Combination

TITLE, PACKAGES = "Lightning", ("lightning", "deepspeed", "torch")
PROGRAM = """\
import lightning as L
import torch
from torch import nn

import probe


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 8))

{hook}    def training_step(self, batch, index):
        return self.net(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.AdamW({parameters}, lr=1e-3)


net = Net()
probe.watch(net.net, "module")
rows = torch.utils.data.TensorDataset(torch.randn(16, 8){cast})
trainer = L.Trainer({settings}max_steps=2, logger=False, enable_checkpointing=False, enable_progress_bar=False)
trainer.fit(net, torch.utils.data.DataLoader(rows, batch_size=4))
probe.tell()
"""
MODEL_PARALLEL = """\
    def configure_model(self):
        from torch.distributed.fsdp import fully_shard

        fully_shard(self.net, mesh=self.device_mesh["data_parallel"])

"""
PRECISIONS = (
    "", "32-true", "64-true", "16-mixed", "bf16-mixed", "16-true", "bf16-true", "16", "bf16", "32", "64", "fp16",
    "bf16-mix",
)  # fmt: skip
STRATEGIES = {
    "auto": "", "DDP": 'strategy="ddp", ', "FSDP": 'strategy="fsdp", ',
    "ModelParallel": "strategy=L.pytorch.strategies.ModelParallelStrategy(), ",
    "DeepSpeed 2": 'strategy="deepspeed_stage_2", ', "DeepSpeed 3": 'strategy="deepspeed_stage_3", ',
    "DeepSpeed 1": 'strategy="deepspeed_stage_1", ',
}  # fmt: skip


def combination(precision: str, strategy: str, machine: str = "", accelerator: str = "") -> Combination:
    """One with its precision and strategy in code."""
    own = f'precision="{precision}", ' if precision else ""
    # as Lightning hands batches over as they are where it has no plugin that casts them
    cast = ".double()" if precision.startswith("64") else ""
    alone = strategy == "auto"
    given = f"{own}{STRATEGIES[strategy]}" + (f'accelerator="{accelerator}", ' if accelerator else "")
    program = PROGRAM.format(
        settings=given + f"devices={1 if alone else 2}, ", cast=cast,
        hook=MODEL_PARALLEL if strategy == "ModelParallel" else "",
        parameters="self.parameters()" if "DeepSpeed" not in strategy else "self.trainer.model.parameters()",
    )  # fmt: skip
    where = "".join(f", {word}" for word in (machine, accelerator) if word)
    return Combination(
        family="by_lightning", name=f"{precision or 'unset'}, {strategy}{where}", files={"train.py": program},
        command=("python", "train.py") if alone else ("torchrun", "--nproc_per_node", "2", "train.py"),
        machine=machine or ("a100" if alone else "2xa100"), needs=(),
    )  # fmt: skip


def grid() -> Iterator[Combination]:
    """Precision × strategy; machines and accelerators."""
    for precision, strategy in itertools.product(PRECISIONS, STRATEGIES):
        yield combination(precision, strategy)
    for precision, machine in itertools.product(PRECISIONS, ("cpu", "v100")):
        yield combination(precision, "auto", machine)
    for precision in PRECISIONS:
        yield combination(precision, "auto", accelerator="cpu")
