"""Other people's hooks and wrappers around a model with a policy."""

from __future__ import annotations

import accelerate
import peft
import pytest
import torch
from accelerate.hooks import AlignDevicesHook, add_hook_to_module
from torch import nn

import miscast
from miscast import Policy, PolicyError
from models import tiny

BF16, F32 = torch.bfloat16, torch.float32
IDS = torch.tensor([[0, 5, 7, 9]])


@pytest.mark.parametrize("name", ["bf16-true", "bf16-mixed"])
@pytest.mark.parametrize("wrap", ["before", "after"])
def test_offloaded_by_accelerate(name, wrap):
    """Its weights are on meta between calls; dtype and numbers are those of the model without."""
    model, plain = tiny.llama(), tiny.llama()
    plain.load_state_dict(model.state_dict())
    miscast.apply(plain, name)
    if wrap == "before":
        miscast.apply(model, name)
        accelerate.cpu_offload(model, execution_device=torch.device("cpu"))
    else:
        model.to(BF16 if name == "bf16-true" else F32)
        model.model.rotary_emb.load_state_dict(plain.model.rotary_emb.state_dict())
        accelerate.dispatch_model(model, {"": "cpu"}, main_device="cpu", force_hooks=True)
        miscast.apply(model, name)
    with torch.no_grad():
        found, expected = model(input_ids=IDS).logits, plain(input_ids=IDS).logits
    assert found.dtype == expected.dtype == BF16
    if wrap == "before":
        assert torch.equal(found, expected)
        assert next(model.parameters()).device.type == "meta"


def test_accelerate_places_already():
    model = nn.Linear(2, 2)
    add_hook_to_module(model, AlignDevicesHook(execution_device="cpu"))
    with pytest.raises(PolicyError, match="accelerate already places the model: do not pass `device`"):
        miscast.apply(model, "bf16-true", device="cpu")


def test_where_accelerate_executes_goes_before_where_a_weight_waits():
    from miscast.policy.boundary import boundaries

    model = nn.Linear(2, 2)
    miscast.apply(model, "bf16-true")
    add_hook_to_module(model, AlignDevicesHook(execution_device="meta"))
    assert next(boundaries(model)).device(model) == torch.device("meta")


def test_prepared_by_an_accelerator():
    accelerator = accelerate.Accelerator(cpu=True)
    model = tiny.vit()
    policy = Policy.parse("bf16-true")
    miscast.apply(model, policy)
    optimizer = policy.optimizer(model, torch.optim.AdamW, lr=1e-3)
    model, optimizer = accelerator.prepare(model, optimizer)
    loss = model(pixel_values=torch.randn(1, 3, 8, 8)).last_hidden_state.float().sum()
    accelerator.backward(loss)
    accelerator.clip_grad_norm_(model.parameters(), 1.0)
    before = model.embeddings.cls_token.detach().clone()
    for _ in range(10):
        optimizer.step()
    assert not torch.equal(before, model.embeddings.cls_token)


@pytest.mark.parametrize("name", ["bf16-true", "bf16-mixed"])
def test_lora_adapters_keep_what_they_are_trained_in(name):
    config = peft.LoraConfig(r=2, target_modules=["q_proj", "v_proj"])
    model = peft.get_peft_model(tiny.llama(), config)
    handle = miscast.apply(model, name)
    adapters = [p for path, p in model.named_parameters() if "lora_" in path]
    assert adapters
    assert {p.dtype for p in adapters} == {F32}
    assert {p.requires_grad for p in adapters} == {True}
    if name == "bf16-true":
        assert model.base_model.model.lm_head.weight.dtype == BF16
        assert "an adapter" in {k.reason for k in handle.kept}
    assert not model.base_model.model.lm_head.weight.requires_grad, "frozen as before"
    model(input_ids=IDS, labels=IDS).loss.backward()
    assert {p.grad.dtype for p in adapters} == {F32}
    merged = model.merge_and_unload()
    assert merged(input_ids=IDS).logits.dtype == BF16


def test_adapters_that_a_policy_names():
    config = peft.LoraConfig(r=2, target_modules=["q_proj"])
    model = peft.get_peft_model(tiny.llama(), config)
    miscast.apply(model, Policy(param_dtype=BF16, overrides={"**.lora_*.*": BF16}))
    assert {p.dtype for p in model.parameters()} == {BF16}
    model(input_ids=IDS, labels=IDS).loss.backward()


def test_adapters_added_to_a_model_with_a_policy():
    model = tiny.llama()
    miscast.apply(model, "bf16-true")
    model = peft.get_peft_model(model, peft.LoraConfig(r=2, target_modules=["q_proj"]))
    assert model(input_ids=IDS).logits.dtype == BF16


def test_saved_and_loaded(tmp_path):
    model = tiny.vae()
    miscast.apply(model, "bf16-true")
    model.save_pretrained(tmp_path)
    loaded = type(model).from_pretrained(tmp_path, torch_dtype=BF16)
    for ours, theirs in zip(model.parameters(), loaded.parameters(), strict=True):
        assert torch.equal(ours, theirs)
