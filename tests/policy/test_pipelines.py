"""Diffusers pipelines and loose components: one policy, every crossing."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import miscast
from miscast import Policy
from models import tiny, whole

BF16, F16, F32 = torch.bfloat16, torch.float16, torch.float32
MIXED_UP = Policy(param_dtype=F16, overrides={"vae": F32, "text_encoder": BF16, "**.conv_norm_out": F32})


def _images(pipe):
    torch.manual_seed(0)
    return pipe("a red cat", num_inference_steps=2, height=16, width=16, output_type="pt").images


@pytest.mark.parametrize("policy", ["bf16-true", "16-true", "bf16-mixed", "32-true", MIXED_UP], ids=str)
@pytest.mark.parametrize("build", [whole.sd, whole.sdxl])
def test_pipelines_run(build, policy):
    pipe = build()
    handle = miscast.apply(pipe, policy)
    assert {"unet", "vae", "text_encoder"} <= set(handle.boundaries)
    assert _images(pipe).isfinite().all()


def test_each_component_by_its_name():
    pipe = whole.sd()
    miscast.apply(pipe, MIXED_UP)
    assert pipe.vae.encoder.conv_in.weight.dtype == F32
    assert pipe.unet.conv_in.weight.dtype == F16
    assert pipe.unet.conv_norm_out.weight.dtype == F32
    assert {p.dtype for p in pipe.text_encoder.parameters()} == {BF16}


def test_without_a_policy_the_same_components_do_not_meet():
    """The opposite of the tests above: with the very dtypes, and without boundaries, torch refuses."""
    pipe = whole.sd()
    pipe.unet.half()
    with pytest.raises(RuntimeError, match="same dtype"):
        pipe.unet(torch.randn(1, 4, 8, 8), 10, torch.randn(1, 6, 16))


def test_methods_other_than_forward():
    vae, unet, text = tiny.vae(), tiny.unet(), tiny.clip_text()
    miscast.apply({"vae": vae, "unet": unet, "text": text}, Policy(param_dtype=BF16, overrides={"vae": F16}))
    latents = torch.randn(1, 4, 8, 8)
    assert vae.decode(latents).sample.dtype == F16
    assert vae.encode(torch.randn(1, 3, 16, 16)).latent_dist.mean.dtype == F16
    assert vae.post_quant_conv(latents).dtype == F16
    assert unet.time_embedding(torch.randn(1, 8)).dtype == BF16
    hidden = text(torch.tensor([[0, 5, 49]])).last_hidden_state
    assert unet(latents.double(), 10, hidden.float()).sample.dtype == BF16
    assert vae.decode(unet(latents, 10, hidden).sample).sample.dtype == F16


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.patch_embed = nn.Conv2d(3, 4, 2)
        self.pos_embed = nn.Parameter(torch.zeros(1, 4, 1, 1))

    def forward_features(self, x):
        return self.patch_embed(x) + self.pos_embed

    def forward(self, x):
        return self.forward_features(x).mean((2, 3))


@pytest.mark.parametrize("name", ["16-true", "bf16-mixed"])
def test_forward_features(name):
    tower = Tower()
    miscast.apply(tower, name)
    image = torch.ones(1, 3, 4, 4, dtype=torch.float64)
    assert tower.forward_features(image).dtype == tower(image).dtype == (F16 if name == "16-true" else F32)


def test_the_parts_of_a_model_inside_another():
    model = tiny.qwen2_vl()
    miscast.apply(model, "bf16-true")
    grid = torch.tensor([[1, 4, 4]])
    features = model.model.visual.patch_embed(torch.randn(16, 3 * 2 * 16))
    assert features.dtype == BF16
    assert model.get_image_features(torch.randn(16, 3 * 2 * 16), grid) is not None
