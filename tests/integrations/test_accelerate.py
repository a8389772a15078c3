"""A policy on what accelerate has prepared: the same numbers as by its autocast, and what contradicts is refused."""

from __future__ import annotations

import accelerate
import pytest
import torch
from accelerate.state import AcceleratorState
from torch import nn

from miscast import PolicyError
from miscast.integrations.accelerate import apply


@pytest.fixture
def prepared():
    def make(precision):
        AcceleratorState._reset_state(reset_partial_state=True)
        accelerator = accelerate.Accelerator(cpu=True, mixed_precision=precision)
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.Linear(8, 2))
        return accelerator, *accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.1))

    return make


def trained(accelerator, model, optimizer):
    torch.manual_seed(1)
    output = model(torch.randn(3, 4))
    accelerator.backward(output.square().mean())
    optimizer.step()
    return output, [p.detach().clone() for p in model.parameters()]


def test_the_same_region_as_its_own(prepared):
    plain, weights = trained(*prepared("bf16"))
    accelerator, model, optimizer = prepared("bf16")
    handle = apply(accelerator, model, "bf16-mixed")
    output, after = trained(accelerator, model, optimizer)
    assert handle.boundaries
    assert output.dtype == torch.float32
    assert torch.equal(output, plain)
    assert all(map(torch.equal, after, weights))


def test_without_its_autocast_the_policy_is_all(prepared):
    accelerator, model, optimizer = prepared("no")
    apply(accelerator, model, "bf16-true")
    output, after = trained(accelerator, model, optimizer)
    assert output.dtype == torch.bfloat16
    assert {p.dtype for p in after} == {torch.bfloat16}


@pytest.mark.parametrize(
    ("precision", "policy", "told"),
    [
        ("bf16", "16-mixed", "autocast to bfloat16: Accelerator(mixed_precision='fp16')"),
        ("bf16", "bf16-true", "norms and losses in float32: Accelerator(mixed_precision='no'), or a mixed policy"),
        ("bf16", "32-true", "computes in float32, and Accelerator(mixed_precision='bf16') wraps"),
        ("no", "16-mixed", "has no GradScaler, so that small gradients become 0: Accelerator(mixed_precision='fp16')"),
    ],
)
def test_a_contradiction_is_refused_before_anything_is_changed(prepared, precision, policy, told):
    accelerator, model, _ = prepared(precision)
    with pytest.raises(PolicyError) as error:
        apply(accelerator, model, policy)
    assert told in str(error.value)
    assert {p.dtype for p in model.parameters()} == {torch.float32}
    assert not model._forward_pre_hooks
