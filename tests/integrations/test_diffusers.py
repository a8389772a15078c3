"""A policy on a pipeline by component, also where its models are offloaded."""

from __future__ import annotations

import pytest
import torch

import miscast
from miscast import PolicyError
from miscast.integrations.diffusers import apply
from models import whole

BF16, F32 = torch.bfloat16, torch.float32


def images(pipe):
    torch.manual_seed(0)
    return pipe("a red cat", num_inference_steps=1, height=16, width=16, output_type="pt").images


def test_by_component():
    pipe = whole.sd()
    handle = apply(pipe, "bf16-true", vae="float32", device="cpu")
    assert pipe.unet.conv_in.weight.dtype == BF16
    assert pipe.vae.encoder.conv_in.weight.dtype == F32
    assert dict(handle.policy.overrides)["vae"].param_dtype == "float32"
    assert images(pipe).isfinite().all()


def test_a_component_that_is_none():
    pipe = whole.sd()
    with pytest.raises(PolicyError, match="has no model 'une': did you mean unet"):
        apply(pipe, "bf16-true", une="float32")
    assert pipe.unet.conv_in.weight.dtype == F32


@pytest.mark.slow
@pytest.mark.parametrize("way", ["enable_model_cpu_offload", "enable_sequential_cpu_offload"])
def test_offloaded_as_before(way):
    pipe, plain = whole.sd(), whole.sd()
    plain.unet.load_state_dict(pipe.unet.state_dict())
    plain.vae.load_state_dict(pipe.vae.state_dict())
    plain.text_encoder.load_state_dict(pipe.text_encoder.state_dict())
    miscast.apply(plain, miscast.Policy(param_dtype=BF16, overrides={"vae": F32}))
    getattr(pipe, way)(device="cpu")
    apply(pipe, "bf16-true", vae="float32")
    assert hasattr(pipe.unet, "_hf_hook")
    if way == "enable_sequential_cpu_offload":
        waiting = pipe.unet.conv_in._hf_hook.weights_map
        assert pipe.unet.conv_in.weight.device.type == "meta"
        assert waiting["weight"].dtype == BF16, "what waits is converted, not what is fetched"
    else:  # accelerate cannot offload from the CPU to the CPU by layers, with a policy or without
        assert torch.equal(images(pipe), images(plain))
    with pytest.raises(PolicyError, match="do not pass `device`"):
        apply(pipe, "bf16-true", device="cpu")


@pytest.mark.slow
def test_placed_by_a_device_map():
    import accelerate

    pipe = whole.sd()
    for part in (pipe.unet, pipe.vae, pipe.text_encoder):
        accelerate.dispatch_model(part, {"": "cpu"}, main_device="cpu", force_hooks=True)
    pipe.hf_device_map = {"unet": "cpu", "vae": "cpu", "text_encoder": "cpu"}
    apply(pipe, "bf16-true", text_encoder="float32")
    assert {p.dtype for p in pipe.text_encoder.parameters()} == {F32}
    assert hasattr(pipe.unet, "_hf_hook")
    assert images(pipe).isfinite().all()


def test_groups_of_layers_are_refused():
    pipe = whole.sd()
    pipe.unet.enable_group_offload(
        onload_device=torch.device("cpu"), offload_device=torch.device("cpu"), offload_type="leaf_level"
    )
    with pytest.raises(PolicyError, match="apply the policy before"):
        apply(pipe, "bf16-true")
    assert pipe.unet.conv_in.weight.dtype == F32
