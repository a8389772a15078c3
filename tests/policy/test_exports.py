"""The same policy in the terms of others: what is set, what is said to be lost, and that they take it."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import miscast
from miscast import Policy, PolicyError
from miscast.policy.exports import systems

FULL = Policy(
    param_dtype="float32",
    compute_dtype="bfloat16",
    output_dtype="float16",
    reduce_dtype="float32",
    buffer_dtype="float64",
    overrides={"vae": "float32"},
)
NOTHING = Policy()
TRUE, MIXED = Policy.parse("bf16-true"), Policy.parse("bf16-mixed")
SETTINGS = {
    "accelerate": ({"mixed_precision": "no"}, {"mixed_precision": "bf16"}, {"mixed_precision": "bf16"}),
    "deepspeed": (
        {"bf16": {"enabled": True}},
        {"torch_autocast": {"enabled": True, "dtype": "bfloat16"}},
        {
            "torch_autocast": {"enabled": True, "dtype": "bfloat16"},
            "communication_data_type": "fp32",
            "data_types": {"grad_accum_dtype": "fp32"},
        },
    ),
    "fsdp": (
        {"param_dtype": "bfloat16", "buffer_dtype": "bfloat16"},
        {"param_dtype": "bfloat16", "buffer_dtype": "float32"},
        {"param_dtype": "bfloat16", "reduce_dtype": "float32", "buffer_dtype": "float64"},
    ),
    "fsdp2": (
        {"param_dtype": "bfloat16"},
        {"param_dtype": "bfloat16"},
        {"param_dtype": "bfloat16", "reduce_dtype": "float32", "output_dtype": "float16"},
    ),
    "lightning": ({"precision": "bf16-true"}, {"precision": "bf16-mixed"}, {"precision": "bf16-mixed"}),
    "transformers": ({"bf16": False, "fp16": False}, {"bf16": True, "fp16": False}, {"bf16": True, "fp16": False}),
}
LOST = {
    "accelerate": {"param_dtype", "output_dtype", "reduce_dtype", "buffer_dtype", "overrides"},
    "deepspeed": {"output_dtype", "buffer_dtype", "overrides"},
    "fsdp": {"param_dtype", "compute_dtype", "output_dtype", "overrides"},
    "fsdp2": {"param_dtype", "compute_dtype", "buffer_dtype", "overrides"},
    "lightning": {"output_dtype", "reduce_dtype", "buffer_dtype", "overrides"},
    "transformers": {"param_dtype", "output_dtype", "reduce_dtype", "buffer_dtype", "overrides"},
}


def test_every_system_is_tested():
    assert set(systems()) == set(SETTINGS) == set(LOST)


@pytest.mark.parametrize("system", SETTINGS)
def test_settings(system):
    for policy, settings in zip((TRUE, MIXED, FULL), SETTINGS[system], strict=True):
        assert dict(policy.export(system).settings) == settings


@pytest.mark.parametrize("system", SETTINGS)
def test_what_is_lost_is_said(system):
    """Each field is in the settings, or among what is lost."""
    lost = FULL.export(system).lost
    assert {entry.field for entry in lost} == LOST[system]
    assert len(lost) == len(LOST[system])
    assert all(entry.reason and "\n" not in entry.reason for entry in lost)
    assert NOTHING.export(system).lost == ()


@pytest.mark.parametrize("system", ["accelerate", "deepspeed", "transformers"])
def test_a_computation_that_no_autocast_does(system):
    odd = Policy(param_dtype="bfloat16", compute_dtype="float16")
    assert "compute_dtype" in {entry.field for entry in odd.export(system).lost}


def test_lightning_has_no_such_precision():
    export = Policy(param_dtype="bfloat16", compute_dtype="float16").export("lightning")
    assert export.settings == {}
    assert str(export.lost[0]) == "compute_dtype: it has no precision that stores bfloat16 and computes in float16"


def test_another_system():
    with pytest.raises(PolicyError, match="cannot export to 'fdsp': did you mean fsdp"):
        TRUE.export("fdsp")


def test_torch_takes_it():
    from torch.distributed.fsdp import MixedPrecision, MixedPrecisionPolicy

    assert FULL.export("fsdp2").build() == MixedPrecisionPolicy(
        param_dtype=torch.bfloat16, reduce_dtype=torch.float32, output_dtype=torch.float16
    )
    assert FULL.export("fsdp").build() == MixedPrecision(
        param_dtype=torch.bfloat16, reduce_dtype=torch.float32, buffer_dtype=torch.float64
    )


def test_transformers_and_accelerate_take_it(tmp_path):
    from accelerate import Accelerator
    from accelerate.state import AcceleratorState
    from transformers import TrainingArguments

    arguments = TrainingArguments(str(tmp_path), use_cpu=True, report_to=[], **MIXED.export("transformers").settings)
    assert arguments.bf16
    AcceleratorState._reset_state(reset_partial_state=True)  # that of the arguments' own
    accelerator = Accelerator(cpu=True, **MIXED.export("accelerate").settings)
    assert accelerator.mixed_precision == "bf16"
    with pytest.raises(ValueError, match="deepspeed's settings are part of your own configuration"):
        MIXED.export("deepspeed").build()


@pytest.mark.skipif(importlib.util.find_spec("lightning") is None, reason="lightning is not installed")
def test_lightning_takes_it():
    from lightning.fabric import Fabric

    for policy in ("64-true", "32-true", "bf16-true", "bf16-mixed"):
        precision = Policy.parse(policy).export("lightning").settings["precision"]
        assert Fabric(accelerator="cpu", devices=1, precision=precision)._connector.precision.precision == policy


@pytest.mark.parametrize("system", ["fsdp", "fsdp2"])
def test_what_is_cast_is_not_said_to_be_autocast(system):
    """Their test with real losses is in test_distributed.py."""
    (lost,) = (entry for entry in MIXED.export(system).lost if entry.field == "compute_dtype")
    assert "without autocast" in lost.reason
    assert "losses, norms and softmax inside are also computed in bfloat16" in lost.reason
    assert "compute_dtype" not in {entry.field for entry in TRUE.export(system).lost}


ENGINE = """
import deepspeed, torch
from deepspeed.runtime.config import DeepSpeedConfig
from miscast import Policy

HALF = {"16-true": torch.float16, "16-mixed": torch.float16, "bf16-true": torch.bfloat16, "bf16-mixed": torch.bfloat16}
for text, half in HALF.items():
    policy = Policy.parse(text)
    settings = {"train_batch_size": 1, **policy.export("deepspeed").settings}
    config = DeepSpeedConfig(dict(settings))
    mixed = text.endswith("mixed")
    assert config.torch_autocast_enabled == mixed
    assert config.torch_autocast_dtype == (half if mixed else None)
    assert config.bfloat16_config.enabled == (text == "bf16-true")
    assert config.float16_config.enabled == (text == "16-true")
    if text == "16-true":  # the engine refuses it on a CPU
        continue
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    settings["zero_optimization"] = {"stage": 1}
    engine, *_ = deepspeed.initialize(model=model, optimizer=optimizer, config=settings)
    weight = engine.module.weight
    assert weight.dtype == (torch.float32 if mixed else half), text
    out = engine(torch.ones(1, 4, dtype=weight.dtype))
    assert out.dtype == half, text
    engine.backward(out.float().sum())
    engine.step()
full = Policy.parse("params=float32,compute=bfloat16,reduce=float32").export("deepspeed").settings
config = DeepSpeedConfig({"train_batch_size": 1, **full})
assert (config.communication_data_type, config.grad_accum_dtype) == (torch.float32, "fp32")
"""


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("deepspeed") is None, reason="deepspeed is not installed")
def test_deepspeed_takes_it(tmp_path):
    """Its configuration reads the settings, and its engine trains with them."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ranks = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1"}
    path = os.pathsep.join([str(Path(miscast.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    env = os.environ | ranks | {"DS_ACCELERATOR": "cpu", "PYTHONPATH": path}
    command = [sys.executable, "-c", ENGINE]
    ran = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=240)
    assert ran.returncode == 0, ran.stderr
