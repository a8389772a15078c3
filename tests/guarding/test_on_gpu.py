"""A guard on a real GPU: figures read late and in time, steps left out and run again, a training that does not change.

Skipped where there is none; what a GPU is at fault for is tried on a CPU in `test_late.py`.
"""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

import miscast

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")

STEPS, BAD = 8, 5


def made(kind=torch.optim.AdamW):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Dropout(0.1), nn.LayerNorm(256), nn.Linear(256, 8)).cuda()
    return model, kind(model.parameters(), lr=1e-3)


def batches():
    generator = torch.Generator("cuda").manual_seed(0)
    for step in range(1, STEPS + 1):
        yield torch.randn(32, 64, device="cuda", generator=generator), step == BAD


def plain(model, optimizer, scaler=None, leave_out=0):
    losses = []
    for step, (x, bad) in enumerate(batches(), 1):
        if step == leave_out:
            continue
        optimizer.zero_grad()
        with torch.autocast("cuda", torch.float16, enabled=scaler is not None):
            out = model(x)
            spread = (x * 0).sum() if bad else 1.0
            loss = (out.float() / spread).square().mean()  # here
        if scaler is None:
            loss.backward()
            optimizer.step()
        else:
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        losses.append(loss.detach())
    return losses


def test_a_trip_in_time_is_run_again_and_named():
    model, optimizer = made()
    with miscast.guard(model, optimizer, wait=True) as guard, pytest.raises(miscast.TrippedError) as caught:
        plain(model, optimizer)
    trip = caught.value.trip
    assert (trip.kind, trip.step, trip.late) == ("non-finite", BAD, False)
    assert trip.rerun.failed == ""
    assert trip.rerun.equal is True
    assert trip.rerun.producers[0].op == "div"
    assert trip.rerun.producers[0].location.code.endswith("# here") or "spread" in trip.rerun.producers[0].location.code
    assert guard.steps == BAD
    assert all(torch.isfinite(one).all() for one in model.parameters())


def test_without_waiting_it_is_told_a_step_late_at_most():
    model, optimizer = made()
    with miscast.guard(model, optimizer), pytest.raises(miscast.TrippedError) as caught:
        plain(model, optimizer)
    trip = caught.value.trip
    assert (trip.kind, trip.step) == ("non-finite", BAD)
    assert trip.late == (trip.rerun.failed != "")
    if not trip.late:
        assert trip.rerun.producers[0].op == "div"


def test_a_step_that_is_left_out_is_as_if_it_had_not_been():
    model, optimizer = made(torch.optim.SGD)
    model[2].p = 0.0
    other = copy.deepcopy(model)
    with miscast.guard(model, optimizer, on_trip="skip") as guard:
        plain(model, optimizer)
    assert [trip.step for trip in guard.trips] == [BAD]
    plain(other, torch.optim.SGD(other.parameters(), lr=1e-3), leave_out=BAD)
    assert all(torch.equal(one, two) for one, two in zip(model.parameters(), other.parameters(), strict=True))


@pytest.mark.parametrize("wait", [False, True])
@pytest.mark.parametrize("scaled", [False, True])
def test_nothing_changes_by_it(wait, scaled):
    results = []
    for guarded in (False, True):
        model, optimizer = made()
        scaler = torch.amp.GradScaler("cuda", init_scale=1024.0) if scaled else None
        guard = miscast.guard(model, optimizer, budget=1.0, wait=wait, on_trip="report") if guarded else None
        losses = plain(model, optimizer, scaler) if scaled else plain(model, optimizer, leave_out=BAD)
        if guard:
            guard.remove()
            assert [trip.step for trip in guard.trips if trip.kind == "non-finite"] == []
        results.append([*losses, *model.state_dict().values(), torch.cuda.get_rng_state()])
    assert all(torch.equal(a.nan_to_num(7), b.nan_to_num(7)) for a, b in zip(*results, strict=True))
