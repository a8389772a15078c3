"""Half precision that is asked for and not held is reported at the line that asks; its right twin is left alone."""

from __future__ import annotations

import json

import pytest

from command import miscast_in

TRAINED = """
import torch
{make}
net, x = torch.nn.Linear(8, 8, device=device), torch.randn(4, 8, device=device)
for _ in range(2):
    with {region}:  # region
        loss = net(x).square().mean()
    loss.backward()
"""
ACCELERATED = "from accelerate import Accelerator\na = Accelerator({})  # setting\ndevice = a.device"
LOADED = """
import torch
from accelerate import load_checkpoint_and_dispatch
from safetensors.torch import save_file
net = torch.nn.Sequential(torch.nn.Linear(8, 8))
save_file(net.state_dict(), "w.safetensors")
load_checkpoint_and_dispatch(net, "w.safetensors", dtype=torch.bfloat16{})  # loading
"""
EXPERTS = """
import torch
class Experts(torch.nn.Module):
    def forward(self, x, weight):
        return torch._grouped_mm({}, weight, offs=torch.tensor([2, 4], dtype=torch.int32))  # escapes
x, weight = torch.randn(4, 8), torch.randn(2, 8, 8)
with torch.autocast("cpu", torch.bfloat16):
    Experts()(x, weight{})
"""
TRAINER = """
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments
net = GPT2LMHeadModel(GPT2Config(n_layer=1, n_head=2, n_embd=16, vocab_size=50, n_positions=8))
data = [{{"input_ids": [1, 2], "labels": [1, 2]}}]
args = TrainingArguments("out", {}=True, use_cpu=True, max_steps=1, report_to=[])  # setting
Trainer(net, args, train_dataset=data).train()
"""


def trained(region, make='device = "cuda"'):
    return TRAINED.format(region=region, make=make)


def accelerated(given=""):
    return trained("a.autocast()", ACCELERATED.format(given))


CASES = {
    "autocast of another type of device": (trained('torch.autocast("cpu")'), "region", "warning"),
    "autocast of the tensors' device": (trained('torch.autocast("cuda")'), None, ""),
    "autocast that is switched off": (trained('torch.autocast("cuda", enabled=False)'), None, ""),
    "autocast of another type around autocast": (
        trained('torch.autocast("cpu"), torch.autocast("cuda")'),
        None,
        "",
    ),
    "an Accelerator on a CPU": (accelerated('mixed_precision="fp16", cpu=True'), "setting", "warning"),
    "an Accelerator in bfloat16 on a CPU": (accelerated('mixed_precision="bf16", cpu=True'), None, ""),
    "an Accelerator without mixed precision": (accelerated(), "region", "hint"),
    "a Trainer on a CPU": (TRAINER.format("fp16"), "setting", "warning"),
    "a Trainer in bfloat16 on a CPU": (TRAINER.format("bf16"), None, ""),
    "a checkpoint's dtype without a device map": (LOADED.format(""), "loading", "warning"),
    "a checkpoint's dtype with a device map": (LOADED.format(', device_map="auto"'), None, ""),
    "experts": (EXPERTS.format("x", ""), "escapes", "hint"),
    "experts in bfloat16": (EXPERTS.format("x.bfloat16()", ".bfloat16()"), None, ""),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_asked_for_is_held_or_reported(name, tmp_path):
    source, line, severity = CASES[name]
    (tmp_path / "asks.py").write_text(source)
    report = json.loads(miscast_in(tmp_path, "check", "--machine", "a100", "--format", "json", "asks.py").stdout)
    assert (report["ended"], report["failed"]) == (None, None)
    found = [one for one in report["findings"] if one["rule"] == "precision-not-held"]
    assert [(one["location"]["code"].rpartition("# ")[2], one["severity"]) for one in found] == (
        [(line, severity)] if line else []
    )
