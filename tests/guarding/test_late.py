"""Figures that arrive when the update has been made, as those of a GPU: the trip says why it is not run again."""

from __future__ import annotations

import faulty
import pytest
import torch
from torch.nn import functional as F

import miscast
from miscast.guarding import step
from miscast.guarding.reading import Reading


class OnItsWay(Reading):
    """Not there when it is first asked for: what a CPU cannot do by itself."""

    asked = False

    def values(self):
        self.asked, asked = True, self.asked
        return super().values() if asked else None


def trained(**options):
    torch.manual_seed(0)
    model = faulty.Net(faulty.Divides())
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    with miscast.guard(model, optimizer, budget=1.0, **options) as guard:
        for x, y, bad in faulty.batches():
            optimizer.zero_grad()
            F.cross_entropy(model(x, bad), y).backward()
            optimizer.step()
    return guard


def test_a_late_trip_says_why_its_step_is_not_run_again(monkeypatch):
    monkeypatch.setattr(step, "Reading", OnItsWay)
    with pytest.raises(miscast.TrippedError) as caught:
        trained()
    trip = caught.value.trip
    assert (trip.kind, trip.step, trip.late) == ("non-finite", faulty.BAD, True)
    assert trip.rerun.failed.startswith("its metrics arrived from the GPU after the update")
    told = str(caught.value)
    assert f"step {faulty.BAD}: the loss is nan, found after its update" in told
    assert "not replayed: " in told
    assert "wait=True" in told


def test_figures_in_time_are_not_late():
    with pytest.raises(miscast.TrippedError) as caught:
        trained()
    trip = caught.value.trip
    assert (trip.step, trip.late) == (faulty.BAD, False)
    assert trip.rerun.producers[0].op == "div"
    assert "found after its update" not in str(trip)


def test_after_three_steps_that_were_run_again_it_says_so():
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    with miscast.guard(model, optimizer, on_trip="skip", max_skips=9) as guard:
        for _ in range(5):
            optimizer.zero_grad()
            (model(torch.ones(1, 2)) / 0).sum().backward()
            optimizer.step()
    failed = [trip.rerun.failed for trip in guard.trips]
    limit = "the limit of 3 replayed steps is reached"
    assert failed == ["", "", "", limit, limit]
