"""DDP and FSDP2 around a model with a policy: two processes, gloo."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.checkpoint import state_dict
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.nn.parallel import DistributedDataParallel

import miscast
from miscast import Policy

BF16, F32 = torch.bfloat16, torch.float32
CPU = torch.device("cpu")
POLICIES = {
    "bf16-true": Policy.parse("bf16-true"),
    "bf16-mixed": Policy.parse("bf16-mixed"),
    "overrides": Policy(param_dtype="bfloat16", overrides={"1": "float32"}),
}


def _model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.Linear(8, 2))


def _input(rank):
    return torch.randn(3, 4, generator=torch.Generator().manual_seed(rank))


def _ddp(rank, name):
    policy = POLICIES[name]
    model = _model()
    miscast.apply(model, policy)
    early = policy.optimizer(model, torch.optim.AdamW, lr=1e-3) if name == "overrides" else None
    ddp = DistributedDataParallel(model)
    optimizer = early or policy.optimizer(ddp, torch.optim.AdamW, lr=1e-3)
    for micro in (False, True):
        if micro:
            loss = ddp(_input(rank)).float().sum()
        else:
            with ddp.no_sync():
                ddp(_input(rank + 2)).float().sum().backward()
            continue
        loss.backward()
    gradient = model[0].weight.grad.clone()
    optimizer.step()
    optimizer.zero_grad()
    ddp(_input(rank)).float().sum().backward()
    optimizer.step()
    assert ddp(_input(rank)).dtype == BF16
    reference = _model()
    miscast.apply(reference, policy)
    for seed in range(4):
        (reference(_input(seed)).float().sum() / 2).backward()
    expected = reference[0].weight.grad
    assert gradient.dtype == expected.dtype
    assert torch.allclose(gradient.float(), expected.float(), rtol=0.05, atol=0.05)
    weights = [torch.empty_like(model[0].weight) for _ in range(2)]
    dist.all_gather(weights, model[0].weight.detach())
    assert torch.equal(*weights)


def _fsdp2(rank, name):
    policy = POLICIES[name]
    model = _model()
    miscast.apply(model, policy)
    expected = model(_input(rank)).detach()
    for layer in model:
        fully_shard(layer)
    fully_shard(model)
    out = model(_input(rank))
    assert out.dtype == expected.dtype == BF16
    assert torch.equal(out, expected)
    optimizer = policy.optimizer(model, torch.optim.AdamW, lr=1e-3)
    out.float().sum().backward()
    assert {p.grad.dtype for p in model.parameters()} == {p.dtype for p in model.parameters()}
    optimizer.step()
    assert model(_input(rank)).isfinite().all()
    if name == "bf16-true":
        with pytest.raises(miscast.PolicyError, match="is already sharded: apply the policy before wrapping the model"):
            miscast.apply(model, "16-true")


def _wrapped_first(rank, name):
    """A parameter that changes under a wrapper is lost to it: refused, whichever of the two is given."""
    policy = POLICIES[name]
    for wrap in (DistributedDataParallel, lambda m: FullyShardedDataParallel(m, use_orig_params=True, device_id=CPU)):
        model = _model()
        wrapped = wrap(model)
        for target in (wrapped, model):
            if name == "bf16-mixed":
                miscast.apply(target, policy)
                continue
            with pytest.raises(miscast.PolicyError, match=r"already wrapped in .*, which would no longer see its"):
                miscast.apply(target, policy)
        assert {p.dtype for p in model.parameters()} == {F32}, "nothing was changed"
        wrapped(_input(rank)).float().sum().backward()
        if wrap is DistributedDataParallel:
            gradients = [torch.empty_like(model[0].weight) for _ in range(2)]
            dist.all_gather(gradients, model[0].weight.grad)
            assert torch.equal(*gradients)
        del wrapped
    if name == "bf16-true":
        model = _model()
        handle = miscast.apply(model, policy)
        wrapped = DistributedDataParallel(model)
        with pytest.raises(miscast.PolicyError, match=r"Linear\.weight is already wrapped in DistributedDataParallel"):
            handle.remove()
        del wrapped
        handle.remove()


def _resumed_under_fsdp2(rank, name):
    """Through torch.distributed.checkpoint, bit for bit as without an interruption."""
    policy = POLICIES[name]

    def made():
        model = _model()
        miscast.apply(model, policy)
        for layer in model:
            fully_shard(layer)
        fully_shard(model)
        return model, policy.optimizer(model, torch.optim.AdamW, lr=1e-2)

    def trained(model, optimizer, steps):
        for _ in range(steps):
            optimizer.zero_grad()
            model(_input(rank)).float().square().mean().backward()
            optimizer.step()
        optimizer.zero_grad()

    model, optimizer = made()
    trained(model, optimizer, 3)
    saved = copy.deepcopy(state_dict.get_state_dict(model, optimizer))
    trained(model, optimizer, 3)
    for before in (0, 2):
        resumed, again = made()
        trained(resumed, again, before)
        weights, state = copy.deepcopy(saved)  # what is loaded is taken, not copied
        state_dict.set_state_dict(resumed, again, model_state_dict=weights, optim_state_dict=state)
        trained(resumed, again, 3)
        for ours, theirs in zip(resumed.parameters(), model.parameters(), strict=True):
            assert torch.equal(ours.to_local(), theirs.to_local())
            if name == "bf16-true":
                assert torch.equal(again.masters[ours].to_local(), optimizer.masters[theirs].to_local())


class _Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        y = self.layer(x)
        return nn.functional.mse_loss(y, torch.zeros_like(y))


def _exported_to_fsdp2(rank, name):
    """`lost` says that it is no autocast: a loss inside is computed in half."""
    policy = Policy.parse("bf16-true" if name == "overrides" else name)
    cast, autocast = _Loss(), _Loss()
    fully_shard(cast, mp_policy=policy.export("fsdp2").build())
    miscast.apply(autocast, policy)
    unlike = cast(_input(rank)).dtype != autocast(_input(rank)).dtype
    assert unlike == ("compute_dtype" in {entry.field for entry in policy.export("fsdp2").lost})


def _process(rank, path):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=2)
    for work in (_ddp, _wrapped_first, _fsdp2, _exported_to_fsdp2, _resumed_under_fsdp2):
        for name in POLICIES:
            try:
                work(rank, name)
            except Exception as error:
                raise AssertionError(f"{work.__name__}, {name}") from error
    dist.barrier()
    dist.destroy_process_group()
    # Without the interpreter's own end: gloo's and autograd's threads may free a tensor
    # after it, ask for the GIL, and abort the process (pytorch/pytorch#179291).
    os._exit(0)


@pytest.mark.slow
def test_two_processes():
    """All at once, for a process takes seconds to import torch; as a program, so that they find this file again."""
    env = os.environ | {"PYTHONPATH": str(Path(miscast.__file__).parents[1])}
    ran = subprocess.run([sys.executable, __file__], env=env, capture_output=True, text=True, check=False, timeout=240)
    assert ran.returncode == 0, ran.stderr


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(_process, (f"{folder}/rendezvous",), nprocs=2)
