"""Weights that no update moves, dtypes that change under way, and how far an update moves what."""

from __future__ import annotations

import faulty
import pytest
import torch
from torch import nn

import miscast

BF16 = torch.bfloat16


def trained(model, optimizer, steps=260, schedule=None):
    """Gradients of one sign: no update takes another one back."""
    with miscast.guard(model, optimizer, budget=1.0, keep=1000) as guard:
        for step in range(steps):
            if schedule:
                optimizer.param_groups[0]["lr"] = schedule(step)
            optimizer.zero_grad()
            loss = sum((p.float() * (torch.rand(p.shape) + 0.5)).sum() for p in model.parameters())
            loss.backward()
            optimizer.step()
    return guard


def norm(dtype=BF16, size=32):
    return nn.LayerNorm(size, dtype=dtype)


OPTIMIZERS = {
    "AdamW": (lambda ps: torch.optim.AdamW(ps, lr=1e-4, weight_decay=0), 1),
    "SGD": (lambda ps: torch.optim.SGD(ps, lr=1e-5), 1),
    "AdamW, far enough": (lambda ps: torch.optim.AdamW(ps, lr=1e-2, weight_decay=0), 0),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("dtype", [BF16, torch.float32])
def test_weights_that_stand_still(name, dtype, capfd):
    """A norm's weights begin at 1; its bias, at 0, moves."""
    made, stuck = OPTIMIZERS[name]
    model = norm(dtype)
    guard = trained(model, made(model.parameters()))
    found = [trip.what for trip in guard.trips if trip.kind == "still"]
    assert len(guard.trips) == len(found)
    if stuck and dtype == BF16:
        assert found[0].startswith("1 of 2 parameters (bfloat16) have not changed in 1")
        assert found[0].endswith("not zero: weight")
        assert "miscast.Policy.optimizer" in capfd.readouterr().err
        assert bool((model.weight == 1).all())
    else:
        assert found == []


def test_float32_copies_are_no_standstill():
    """The weights follow their copies, one rounding at a time."""
    model = norm()
    optimizer = miscast.Policy.parse("bf16-true").optimizer(model, torch.optim.AdamW, lr=1e-5, weight_decay=0.0)
    assert trained(model, optimizer).trips == ()


@pytest.mark.parametrize("rounding", ["kahan", "stochastic"])
def test_compensated_or_random_rounding_is_no_standstill(rounding):
    model = norm()
    policy = miscast.Policy.parse("bf16-true")
    try:
        optimizer = policy.optimizer(model, torch.optim.AdamW, rounding=rounding, lr=1e-5, weight_decay=0.0)
    except (ImportError, miscast.PolicyError) as error:
        pytest.skip(str(error))
    assert trained(model, optimizer).trips == ()


def test_without_a_learning_rate_nothing_is_to_move():
    model = norm()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.0, weight_decay=0.0)
    assert trained(model, optimizer, schedule=lambda step: 0.0 if step < 250 else 1e-2).trips == ()


def test_weights_that_are_clamped_back_moved():
    model = nn.Linear(8, 8, dtype=BF16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with miscast.guard(model, optimizer, budget=1.0) as guard:
        for _ in range(260):
            optimizer.zero_grad()
            sum(p.float().sum() for p in model.parameters()).backward()
            optimizer.step()
            with torch.no_grad():
                for p in model.parameters():
                    p.clamp_(-0.01, 0.01)
    assert guard.trips == ()


def test_the_ratio_of_update_to_weight():
    """SGD of a gradient of ones moves each weight by the learning rate."""
    model = nn.Sequential(nn.Linear(4, 4, bias=False), nn.Linear(4, 2, bias=False))
    with torch.no_grad():
        for p in model.parameters():
            p.fill_(2.0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    with miscast.guard(model, optimizer, budget=1.0) as guard:
        sum(p.sum() for p in model.parameters()).backward()
        optimizer.step()
    lines = [line for line in guard.last if line["event"] == "weights"]
    assert lines == [{"event": "weights", "step": 1, "ratios": {"0": 0.25, "1": 0.25}}]


class Averages(torch.optim.Optimizer):
    """Keeps an average, and moves nothing, so that any dtypes go together."""

    def __init__(self, parameters):
        super().__init__(parameters, {"lr": 1.0})

    def step(self):
        for p in self.param_groups[0]["params"]:
            self.state[p].setdefault("average", p.detach().clone())


CHANGES = {
    "parameter": "the parameter bias was float32 and is now float64",
    "gradient": "the gradient of weight was float32 and is now float64",
    "state": "the optimizer's average of weight was float32 and is now float64",
    "": None,
}


@pytest.mark.parametrize("part", CHANGES)
def test_a_dtype_that_changes_under_way(part, capfd):
    model = nn.Linear(3, 3)
    optimizer = Averages(model.parameters())
    with miscast.guard(model, optimizer, budget=1.0) as guard:
        for step in range(6):
            optimizer.zero_grad()
            (model.weight.sum() + model.bias.sum()).backward()
            if part == "parameter" and step == 3:
                model.bias.data = model.bias.data.double()
            if part == "gradient" and step >= 3:
                model.weight.grad_dtype = None
                model.weight.grad = model.weight.grad.double()
            if part == "state" and step == 3:
                optimizer.state[model.weight]["average"] = optimizer.state[model.weight]["average"].double()
            optimizer.step()
            if part == "gradient":
                model.weight.grad, model.weight.grad_dtype = None, torch.float32
    changed = [trip.what.partition(", and")[0] for trip in guard.trips]
    assert changed[:1] == ([CHANGES[part]] if part else [])
    assert ("changed  step 4" in capfd.readouterr().err) == bool(part)


def test_nothing_changes_when_weights_are_looked_at():
    found = []
    for guarded in (False, True):
        torch.manual_seed(0)
        model = faulty.Net().bfloat16()
        model.norm = nn.Identity()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        guard = miscast.guard(model, optimizer, budget=1.0) if guarded else None
        for x, y, _ in faulty.batches():
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x.bfloat16()), y).backward()
            optimizer.step()
        if guard:
            assert [line["event"] for line in guard.last].count("weights") == faulty.STEPS
            guard.remove()
        found.append([p.detach().clone() for p in model.parameters()])
    assert all(torch.equal(one, other) for one, other in zip(*found, strict=True))
