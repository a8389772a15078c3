"""A step that computes its gradients in a closure: it is looked at behind the closure, before the update."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import miscast

KINDS = {"SGD": torch.optim.SGD, "AdamW": torch.optim.AdamW, "LBFGS": torch.optim.LBFGS}


def train(kind, bad=(), by_name=False, **options):
    torch.manual_seed(0)
    model = nn.Linear(4, 2)
    optimizer = kind(model.parameters(), lr=0.01)
    guard = miscast.guard(model, optimizer, **options)
    before = []
    with guard:
        for step in range(1, 5):
            x = torch.randn(3, 4)
            scale = torch.tensor(0.0 if step in bad else 1.0)

            def closure(x=x, scale=scale):
                optimizer.zero_grad()
                loss = (model(x) / scale).square().mean()
                loss.backward()
                return loss

            before.append([p.detach().clone() for p in model.parameters()])
            try:
                optimizer.step(closure=closure) if by_name else optimizer.step(closure)
            except miscast.TrippedError as error:
                return guard, model, before, error.trip
    return guard, model, before, None


@pytest.mark.parametrize("by_name", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_stopped_before_the_update(kind, by_name):
    _, model, before, trip = train(KINDS[kind], {3}, by_name)
    assert (trip.kind, trip.step, trip.late) == ("non-finite", 3, False)
    assert trip.rerun.producers[0].op == "div"
    assert trip.rerun.equal is True
    assert all(map(torch.equal, model.parameters(), before[-1]))


@pytest.mark.parametrize("kind", KINDS)
def test_a_healthy_one_has_no_trip(kind):
    guard, model, _, trip = train(KINDS[kind], budget=1.0)
    assert trip is None
    assert guard.trips == ()
    assert guard.steps == 4
    plain = train(KINDS[kind], budget=0.01)[1]
    assert all(map(torch.equal, model.parameters(), plain.parameters()))


def test_it_may_be_left_out():
    guard, model, before, _ = train(torch.optim.AdamW, {2}, on_trip="skip")
    assert [one.step for one in guard.trips] == [2]
    assert all(map(torch.equal, before[1], before[2])), "the second step changed nothing"
    assert all(one.isfinite().all() for one in model.parameters())
