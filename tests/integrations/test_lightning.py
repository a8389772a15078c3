"""A policy as Lightning's precision, and the guard as its callback, in a real Trainer."""

from __future__ import annotations

import pytest

from separate import needed, run_separately

pytestmark = [pytest.mark.slow, needed]

PROGRAM = """
import logging, warnings
warnings.simplefilter("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
import torch
from lightning.pytorch import LightningModule, Trainer
from torch import nn

import miscast
from miscast.integrations.lightning import MiscastCallback, PolicyPrecision


class Net(LightningModule):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.norm, self.last = nn.Linear(8, 16), nn.LayerNorm(16), nn.Linear(16, 4)
        self.seen = []

    def forward(self, x):
        return self.last(self.norm(torch.relu(self.first(x))))

    def training_step(self, batch, _):
        x, scale = batch
        out = self(x)
        self.seen.append(out.dtype)
        return (out.float() / scale.mean()).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


def data(dtype=torch.float32, bad=False):
    torch.manual_seed(1)
    rows = [(torch.randn(8, dtype=dtype), torch.tensor(0.0 if bad and n >= 8 else 1.0)) for n in range(16)]
    return torch.utils.data.DataLoader(rows, batch_size=4)


def fit(model, loader, **options):
    trainer = Trainer(
        max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False, **options,
    )
    trainer.fit(model, loader)
    return model


def same(a, b):
    return all(map(torch.equal, a.parameters(), b.parameters()))


plain, callback = fit(Net(), data()), MiscastCallback(log="flight.jsonl")
watched = fit(Net(), data(), callbacks=[callback])
assert same(plain, watched), "the fit goes on as it would"
assert callback.guard.steps == 4 and callback.guard.trips == ()
assert not watched._forward_pre_hooks and not watched.first._forward_pre_hooks

try:
    fit(Net(), data(bad=True), callbacks=[MiscastCallback()])
    raise SystemExit("no trip")
except miscast.TrippedError as error:
    assert error.trip.rerun.producers[0].op == "div", error

try:
    fit(Net(), data(torch.float64), callbacks=[MiscastCallback()])
    raise SystemExit("no difference")
except miscast.MismatchError as error:
    assert str(error) == "inputs[0]: float64 on cpu, but Net expects float32 on cpu", error
fit(Net(), data(torch.bfloat16), precision="bf16-mixed", callbacks=[MiscastCallback()])

theirs = fit(Net(), data(), precision="bf16-mixed")
plugin = PolicyPrecision("bf16-mixed")
ours = fit(Net(), data(), plugins=[plugin], callbacks=[MiscastCallback()])
assert same(theirs, ours) and set(ours.seen) == {torch.bfloat16}
assert plugin.scaler is None and plugin.handle.boundaries

policy = miscast.Policy(param_dtype="bfloat16", overrides={"norm": "float32"})
mixed = fit(Net(), data(), plugins=[PolicyPrecision(policy)])
assert {n: str(p.dtype) for n, p in mixed.named_parameters() if "weight" in n} == {
    "first.weight": "torch.bfloat16", "norm.weight": "torch.float32", "last.weight": "torch.bfloat16"}

half = PolicyPrecision("16-mixed")
fit(Net(), data(), plugins=[half])
assert half.scaler is not None and half.scaler.get_scale() > 1 and half.state_dict()["scale"] > 1
print("all of it")
"""


def test_precision_and_callback(tmp_path):
    assert run_separately(tmp_path, PROGRAM).splitlines()[-1] == "all of it"
    assert (tmp_path / "flight.jsonl").read_text().count('"event":"step"') == 4
