"""Data made to fit, and the check that names what does not."""

from __future__ import annotations

import pickle

import pytest
import torch
from torch import nn

import miscast
from miscast import MismatchError, Policy
from models import tiny


def _batch():
    return {"pixel_values": torch.ones(1, 3, 8, 8), "input_ids": torch.ones(1, 4, dtype=torch.int64)}


def test_like_a_module():
    batch = miscast.cast(_batch(), like=nn.Linear(2, 2).to(torch.bfloat16), device="meta")
    assert (batch["pixel_values"].dtype, batch["pixel_values"].device.type) == (torch.bfloat16, "meta")
    assert (batch["input_ids"].dtype, batch["input_ids"].device.type) == (torch.int64, "meta")


@pytest.mark.parametrize(
    ("like", "dtype"),
    [
        (torch.ones(1, dtype=torch.float16), torch.float16),
        (torch.ones(1, dtype=torch.int64), torch.float32),
        (Policy.parse("16-true"), torch.float16),
        (Policy.parse("bf16-mixed"), torch.float32),
        (Policy(compute_dtype="bfloat16"), torch.bfloat16),
        (Policy(), torch.float32),
    ],
)
def test_like_a_tensor_or_a_policy(like, dtype):
    assert miscast.cast(torch.ones(1), like=like).dtype == dtype


def test_what_is_given_goes_before_what_it_is_like():
    like = torch.ones(1, dtype=torch.float16)
    assert miscast.cast(torch.ones(1), like=like, dtype="float64").dtype == torch.float64
    assert miscast.cast(torch.ones(1), like=like, device="meta").device.type == "meta"


@pytest.mark.parametrize("function", [miscast.cast, miscast.expect])
def test_without_a_target(function):
    with pytest.raises(TypeError, match="needs like=, dtype= or device="):
        function(torch.ones(1))
    with pytest.raises(TypeError, match=r"use dtype= or device= for 'torch.float16'"):
        function(torch.ones(1), like=torch.float16)
    with pytest.raises(miscast.PolicyError, match="int8 is not a floating-point dtype"):
        function(torch.ones(1), dtype=torch.int8)


def test_each_modality_follows_the_part_that_takes_it():
    model = tiny.llava()
    model.model.vision_tower.to(torch.float16)
    model.model.language_model.to(torch.bfloat16)
    batch = miscast.cast({**_batch(), "inputs_embeds": torch.ones(1, 4, 16)}, like=model)
    assert batch["pixel_values"].dtype == torch.float16
    assert batch["inputs_embeds"].dtype == torch.bfloat16
    assert miscast.expect(batch, like=model) is batch


def test_a_tower_of_its_own_policy():
    model = tiny.llava()
    miscast.apply(model, Policy(param_dtype="bfloat16", overrides={"**.vision_tower": "float32"}))
    assert miscast.cast(_batch(), like=model)["pixel_values"].dtype == torch.float32
    assert miscast.cast(torch.ones(1), like=model).dtype == torch.bfloat16


def test_expect_names_each_leaf():
    model = tiny.llava().to(torch.bfloat16)
    batch = {**_batch(), "more": [torch.ones(1, dtype=torch.bfloat16), (torch.ones(1),)]}
    with pytest.raises(MismatchError) as error:
        miscast.expect(batch, like=model)
    assert str(error.value).splitlines() == [
        'batch["pixel_values"]: float32 on cpu, but model.vision_tower expects bfloat16 on cpu',
        'batch["more"][1][0]: float32 on cpu, but LlavaForConditionalGeneration expects bfloat16 on cpu',
    ]
    assert [d.path for d in error.value.differences] == ['batch["pixel_values"]', 'batch["more"][1][0]']
    assert isinstance(error.value, TypeError)
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


def test_expect_a_device():
    model = nn.Linear(2, 2, device="meta")
    with pytest.raises(MismatchError, match="sample: int64 on cpu, but expected int64 on meta"):
        miscast.expect(torch.ones(1, dtype=torch.int64), like=torch.ones(1, device="meta"), name="sample")
    x = torch.ones(1)
    assert miscast.expect(x, like=model) is x, "a model on meta has no place yet"
    assert miscast.expect(x, dtype=torch.float32, device="cpu") is x


def test_what_cast_gives_is_what_expect_wants():
    for build in (tiny.llava, tiny.unet, tiny.clip):
        model = build()
        for name in ("bf16-true", "bf16-mixed", "16-true"):
            miscast.apply(model, name)
            batch = {**_batch(), "x": torch.ones(1, dtype=torch.float64)}
            miscast.expect(miscast.cast(batch, like=model), like=model)


NUMBERS = ("timestep", "timesteps", "sigma", "position_ids", "decoder_position_ids", "img_ids", "cache_position",
           "input_lengths", "freqs_cis")  # fmt: skip
VALUES = ("sample", "x", "pixel_values", "attention_mask", "embeds", "ids_embeds", "position_bias", "step_size")


def test_times_and_positions_are_left_alike():
    """By `apply`, `cast` and `expect`: bfloat16 makes 980 of 981."""

    class Takes(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = nn.Linear(2, 2)

        def forward(self, **batch):
            return batch

    model = Takes()
    miscast.apply(model, "bf16-true")
    batch = {name: torch.tensor([981.0]) for name in (*NUMBERS, *VALUES)}
    cast = miscast.cast(batch, like=model)
    for found in (model(**batch), cast, miscast.cast({"more": [batch]}, dtype="bfloat16")["more"][0]):
        assert {name for name in found if found[name] is batch[name]} == set(NUMBERS)
        assert {found[name].dtype for name in VALUES} == {torch.bfloat16}
    assert miscast.expect(cast, like=model) is cast
    with pytest.raises(MismatchError) as error:
        miscast.expect(batch, like=model)
    assert [d.path for d in error.value.differences] == [f'batch["{name}"]' for name in VALUES]
    assert miscast.cast(batch["timestep"], dtype="bfloat16").dtype == torch.bfloat16, "by itself it has no name"


def test_a_denoiser_gets_its_timestep():
    unet = tiny.unet()
    miscast.apply(unet, "bf16-true")
    batch = {
        "sample": torch.randn(1, 4, 8, 8),
        "timestep": torch.tensor([981.0]),
        "encoder_hidden_states": torch.randn(1, 6, 16),
    }
    ready = miscast.expect(miscast.cast(batch, like=unet), like=unet)
    assert ready["timestep"].item() == 981
    assert torch.equal(unet(**ready).sample, unet(**batch).sample)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_what_is_finite_in_a_mask_stays_so(dtype):
    """The least float32 is minus infinity in half, and a row of nothing else becomes NaN."""
    model = nn.MultiheadAttention(8, 2, batch_first=True)
    miscast.apply(model, Policy(param_dtype=dtype))
    least, nothing = torch.finfo(torch.float32).min, float("-inf")
    mask = torch.tensor([[0.0, nothing, least], [least, least, least], [0.0, 0.0, 1.0]])
    x = torch.randn(1, 3, 8)
    assert model(x, x, x, attn_mask=mask)[0].isfinite().all()
    half = miscast.cast({"attn_mask": mask}, like=model)["attn_mask"]
    assert half.dtype == dtype
    assert torch.equal(half.isinf(), mask.isinf())
    assert half[1, 0] == torch.finfo(dtype).min
    assert torch.equal(half[2], mask[2].to(dtype))
    assert miscast.cast({"x": mask}, like=model)["x"][1, 0] == nothing, "only of a mask is the meaning known"
