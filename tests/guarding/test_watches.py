"""What a series of steps shows: explosions, vanished gradients, loss scales, each beside what only looks so."""

from __future__ import annotations

import json
import math

import faulty
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import miscast


def weights(value=1.0, size=4, dtype=torch.float32):
    model = nn.Module()
    model.weight = nn.Parameter(torch.full((size,), value, dtype=dtype))
    return model


def trained(factors, *, scaler=None, lr=0.0, **options):
    """A training whose step has a loss of `factor` times the weights."""
    model = weights()
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    with miscast.guard(model, optimizer, budget=1.0, **options) as guard:
        for factor in factors:
            optimizer.zero_grad()
            loss = (model.weight * factor).sum()
            if scaler is None:
                loss.backward()
                optimizer.step()
            else:
                scaler.scale(loss).backward()
                scaler.step(optimizer)
                scaler.update()
    return guard


@pytest.mark.parametrize(
    ("factors", "kinds"),
    [
        ([1.0] * 30 + [5000.0] + [1.0] * 5, ["exploding"]),
        ([1.0] * 30 + [100.0] + [1.0] * 5, []),  # a spike, as they come
        ([1.0, 50.0, 2000.0, 1.0], []),  # nothing is known yet
        ([1e-6 * 2**i for i in range(40)], []),  # it grows, step by step
        ([1.0] * 5 + [0.0] * 7, []),  # the loss is zero, too: it is solved
    ],
)
def test_norms(factors, kinds, capfd):
    assert [trip.kind for trip in trained(factors).trips] == kinds
    assert ("exploding" in capfd.readouterr().err) == bool(kinds)


@pytest.mark.parametrize("half", [True, False])
def test_gradients_that_round_to_zero(half):
    """In float16 a gradient below 6e-8 is zero."""
    model = weights(dtype=torch.float16 if half else torch.float32)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    with miscast.guard(model, optimizer, budget=1.0) as guard:
        for step in range(10):
            optimizer.zero_grad()
            factor = 1.0 if step < 3 else 1e-9
            ((model.weight.float() * factor).sum() + 1).backward()
            optimizer.step()
    assert [trip.kind for trip in guard.trips] == (["vanished"] if half else [])


def test_a_scaler_that_looks_for_its_scale_is_no_trip():
    """It begins too high, and skips until the scaled gradients are finite."""
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**16, growth_interval=3)
    guard = trained([1e35] * 12, scaler=scaler)
    assert guard.trips == ()
    steps = [line for line in guard.last if line["event"] == "step"]
    assert sum(line.get("skipped") == "scaler" for line in steps) >= 2
    assert all(math.isclose(line["loss"], 4e35, rel_tol=1e-5) for line in steps)  # unscaled
    assert [line["scale"] for line in steps][:3] == [2.0**16, 2.0**15, 2.0**14]


def test_a_scale_that_comes_down_below_one(capfd):
    """The loss is right, its gradient is not, at any scale."""
    model, scaler = weights(0.0), torch.amp.GradScaler("cpu", init_scale=2.0**3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    with miscast.guard(model, optimizer) as guard:
        for _ in range(8):
            optimizer.zero_grad()
            scaler.scale(model.weight.sqrt().sum() + 1).backward()
            scaler.step(optimizer)
            scaler.update()
    assert [(trip.kind, trip.step) for trip in guard.trips] == [("loss-scale", 5)]
    assert "no loss scale fixes it" in capfd.readouterr().err


def test_losses_that_no_scale_helps():
    """The scaler would skip for ever: the third time in a row the step is run again, and its first NaN named."""
    model, scaler = faulty.Net(faulty.Divides()), torch.amp.GradScaler("cpu")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)

    def train():
        for x, y, bad in [*faulty.batches(), *faulty.batches()]:
            optimizer.zero_grad()
            late = sum(line["event"] == "step" for line in guard.last) >= faulty.STEPS
            loss = F.cross_entropy(model(x, bad or late), y)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()

    with miscast.guard(model, optimizer) as guard, pytest.raises(miscast.TrippedError) as caught:
        train()
    trip = caught.value.trip
    assert trip.step == faulty.STEPS + 3
    assert trip.rerun.producers[0].op == "div"
    assert trip.rerun.equal
    assert trip.rerun.compared == "loss"


def test_with_a_scaler_the_bits_are_the_same():
    found = []
    for guarded in (False, True):
        torch.manual_seed(0)
        model, scaler = faulty.Net(), torch.amp.GradScaler("cpu", growth_interval=2)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        guard = miscast.guard(model, optimizer, budget=1.0) if guarded else None
        for x, y, _ in faulty.batches():
            optimizer.zero_grad()
            with torch.autocast("cpu", torch.float16):
                loss = F.cross_entropy(model(x), y)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        if guard:
            guard.remove()
            assert not guard.trips
        found.append([*model.state_dict().values(), torch.tensor(scaler.get_scale())])
    assert all(torch.equal(one, other) for one, other in zip(*found, strict=True))


def test_two_models_two_optimizers():
    """Each step belongs to one of them; the second's fault is named with its own lines."""
    torch.manual_seed(0)
    maker, judge = nn.Linear(3, 4), nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    makes, judges = (torch.optim.Adam(one.parameters(), lr=1e-3) for one in (maker, judge))

    def train():
        for step in range(4):
            real = torch.randn(5, 4)
            fake = maker(torch.randn(5, 3))
            judges.zero_grad()
            loss = F.softplus(-judge(real)).mean() + F.softplus(judge(fake.detach())).mean()
            loss.backward()
            judges.step()
            makes.zero_grad()
            score = judge(fake)
            divided = score / (score.detach() * (step < 3))
            divided.mean().backward()
            makes.step()

    with miscast.guard([maker, judge], [makes, judges]) as guard, pytest.raises(miscast.TrippedError) as caught:
        train()
    trip = caught.value.trip
    assert trip.step == 8
    assert [line.get("optimizer", 0) for line in guard.last if line["event"] == "step"] == [1, 0] * 4
    first = trip.rerun.producers[0]
    assert (first.op, "score / (" in first.location.code) == ("div", True)


def test_the_log_is_whole_whatever_happens(tmp_path):
    """One line a step, each valid by itself; numbers that JSON has no word for are strings."""
    path = tmp_path / "flight.jsonl"
    model = faulty.Net(faulty.Divides())
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    with miscast.guard(model, optimizer, log=path), pytest.raises(miscast.TrippedError):
        faulty.plain(model, optimizer)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    events = [line["event"] for line in lines if line["event"] != "weights"]
    assert events == ["start", *["step"] * faulty.BAD, "trip"]
    assert lines[-2]["loss"] == "nan"
    assert lines[-1]["rerun"]["producers"][0]["location"]["line"] == faulty.line_of(faulty.Divides)


def test_a_full_disk_ends_the_log_and_not_the_training(capfd):
    model = faulty.Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    with miscast.guard(model, optimizer, log="/dev/full") as guard:
        assert len(faulty.plain(model, optimizer)) == faulty.STEPS
    assert [line["event"] for line in guard.last].count("step") == faulty.STEPS
    told = capfd.readouterr().err
    assert told.count("\n") == 1
    assert "recording to /dev/full stopped: No space left on device" in told


def test_a_guard_that_fails_leaves(monkeypatch, capfd):
    from miscast.guarding import step

    def broken(_):
        raise KeyError("x")

    model = faulty.Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    guard = miscast.guard(model, optimizer)
    monkeypatch.setattr(step.gradients, "of", broken)
    assert len(faulty.plain(model, optimizer)) == faulty.STEPS
    assert guard.trips == ()
    assert "training continues without the guard" in capfd.readouterr().err
    assert not model._forward_pre_hooks
