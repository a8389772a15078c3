"""The first NaN of a training: its step is stopped before the update, and its op, line and module are named."""

from __future__ import annotations

import copy
import math
import pickle
import random
from types import SimpleNamespace

import effects
import faulty
import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import miscast
from miscast.guarding import replay
from miscast.guarding.trip import Rerun
from sweep import sweep


def made(module=None, kind=torch.optim.AdamW):
    torch.manual_seed(0)
    model = faulty.Net(module() if module else None)
    return model, kind(model.parameters(), lr=1e-3)


@pytest.mark.parametrize("loop", faulty.LOOPS)
@sweep("case", faulty.CASES)
def test_the_first_is_named(case, loop):
    module, op, node, path = faulty.CASES[case]
    if loop == "clipping" and case == "overflows":
        pytest.skip("autocast gives the line other dtypes")
    model, optimizer = made(module)
    with miscast.guard(model, optimizer), pytest.raises(miscast.TrippedError) as caught:
        faulty.LOOPS[loop](model, optimizer)
    trip = caught.value.trip
    assert (trip.kind, trip.step, trip.late) == ("non-finite", faulty.BAD, False)
    first = trip.rerun.producers[0]
    assert (first.op, first.node, first.module) == (op, node, path)
    assert (first.location.file, first.location.line) == (faulty.__file__, faulty.line_of(module))
    assert trip.rerun.equal is True, str(trip)
    assert trip.rerun.compared == ("loss" if loop == "clipping" else "loss and gradients")
    assert all(torch.isfinite(one).all() for one in model.parameters())
    assert first.operands or node


@pytest.mark.parametrize("loop", faulty.LOOPS)
def test_a_healthy_training_has_no_trip(loop):
    model, optimizer = made()
    with miscast.guard(model, optimizer, budget=1.0) as guard:
        faulty.LOOPS[loop](model, optimizer)
    assert guard.trips == ()
    assert [line["event"] for line in guard.last].count("step") == faulty.STEPS


@pytest.mark.parametrize("loop", faulty.LOOPS)
@pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.AdamW])
def test_nothing_changes_by_it(loop, kind):
    """Losses, weights, buffers, the optimizer's state and the generators have the same bits."""
    results = []
    for guarded in (False, True):
        model, optimizer = made(kind=kind)
        guard = miscast.guard(model, optimizer, budget=1.0) if guarded else None
        losses = faulty.LOOPS[loop](model, optimizer)
        if guard:
            guard.remove()
        state = [v for s in optimizer.state.values() for v in s.values() if isinstance(v, torch.Tensor)]
        results.append([*map(torch.as_tensor, losses), *model.state_dict().values(), *state, torch.get_rng_state()])
    assert len(results[0]) == len(results[1])
    assert all(torch.equal(one, other) for one, other in zip(*results, strict=True))


def test_a_reported_trip_leaves_the_training_as_it_was():
    """Also the step that is run again: its buffers, generators, gradients and lists are put back."""
    results = []
    for guarded in (False, True):
        model, optimizer = made(faulty.RootAtZero)
        guard = miscast.guard(model, optimizer, on_trip="report") if guarded else None
        losses = faulty.plain(model, optimizer)
        if guard:
            guard.remove()
            assert guard.trips[0].rerun.equal
        assert len(losses) == faulty.STEPS
        results.append([*losses, *model.state_dict().values(), torch.get_rng_state()])
    assert all(torch.equal(a.nan_to_num(7), b.nan_to_num(7)) for a, b in zip(*results, strict=True))


WAYS = [
    *((loop, "fork", "report") for loop in effects.LOOPS),
    *((loop, "in place", "report") for loop in effects.IN_PLACE),
    ("below", "fork", "skip"),
]


@pytest.mark.parametrize(("loop", "way", "on_trip"), WAYS)
def test_a_step_that_is_run_again_leaves_no_mark(loop, way, on_trip, tmp_path, monkeypatch):
    """Iterators, counters, draws, files, losses and weights are those of the training without a guard."""
    if way == "in place":  # as where there is a GPU, which no fork can use
        monkeypatch.setattr(replay, "_ACCELERATOR", SimpleNamespace(is_available=lambda: True))
    results = []
    for guarded in (False, True):
        torch.manual_seed(0)
        random.seed(0)
        np.random.seed(0)  # noqa: NPY002 - what the programs draw from
        model = effects.Counting()
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
        guard = miscast.guard(model, optimizer, on_trip=on_trip) if guarded else None
        folder = tmp_path / str(guarded)
        folder.mkdir()
        marks = effects.LOOPS[loop](model, optimizer, folder)
        if guard:
            guard.remove()
            assert guard.trips[0].rerun.producers, guard.trips[0]
            assert guard.trips[0].rerun.equal or loop == "iterators_within"
        weights = [one.nan_to_num(7).tolist() for one in model.parameters()] if on_trip == "report" else []
        results.append((repr(marks), model.calls, model.seen, weights, torch.get_rng_state().tolist()))
    assert results[0] == results[1]


def test_where_autograd_refuses_a_fork_the_step_is_run_again_in_place(monkeypatch):
    refused = "RuntimeError: Unable to handle autograd's threading in combination with fork-based multiprocessing."
    monkeypatch.setattr("miscast.guarding.apart.apart", lambda _: Rerun(failed=refused))
    model, optimizer = made(faulty.RootAtZero)
    with miscast.guard(model, optimizer, on_trip="report") as guard:
        faulty.plain(model, optimizer)
    assert guard.trips[0].rerun.equal
    assert not guard.trips[0].rerun.failed


def test_after_remove_torch_is_as_before():
    model, optimizer = made()
    clip, scaler = torch.nn.utils.clip_grad, torch.amp.GradScaler
    names = ((torch.autograd, "backward"), (clip, "_get_total_norm"), (scaler, "scale"), (scaler, "update"))
    before = [getattr(owner, name) for owner, name in names]
    guard = miscast.guard(model, optimizer)
    assert all(getattr(owner, name) is not old for (owner, name), old in zip(names, before, strict=True))
    guard.remove()
    assert [getattr(owner, name) for owner, name in names] == before
    assert not model._forward_pre_hooks
    assert not optimizer._optimizer_step_pre_hooks
    assert not optimizer._optimizer_step_post_hooks


def test_a_copy_of_the_model_is_not_watched():
    """As an average of the weights is made, or a model is saved whole."""
    model, optimizer = made()
    with miscast.guard(model, optimizer) as guard:
        for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            loss = copied(torch.randn(4, 6)).sum() / 0
            loss.backward()
        faulty.plain(model, optimizer)
        assert copy.deepcopy(optimizer).state_dict().keys() == optimizer.state_dict().keys()
    assert guard.trips == ()
    assert [line["event"] for line in guard.last].count("step") == faulty.STEPS


def test_a_pause_is_not_watched():
    model, optimizer = made(faulty.Divides)
    with miscast.guard(model, optimizer) as guard:
        guard.pause()
        faulty.plain(model, optimizer)
        assert guard.trips == ()
        guard.resume()
        with pytest.raises(miscast.TrippedError):
            faulty.plain(model, optimizer)
    assert guard.steps == 1


def test_two_guards_removed_in_any_order():
    before = torch.autograd.backward
    pairs = [made(), made()]
    first, second = (miscast.guard(*pair) for pair in pairs)
    first.remove()
    for pair in pairs:
        faulty.plain(*pair)
    counted = [[one["event"] for one in guard.last].count("step") for guard in (first, second)]
    assert counted == [0, faulty.STEPS]
    second.remove()
    assert torch.autograd.backward is before or torch.autograd.backward.__wrapped__ is before


def test_skipping_leaves_the_step_out():
    """The weights are those of a training without the bad batch."""
    model, optimizer = made(faulty.Divides, torch.optim.SGD)
    model.norm, model.drop = nn.Identity(), nn.Identity()
    other = copy.deepcopy(model)
    with miscast.guard(model, optimizer, on_trip="skip") as guard:
        faulty.plain(model, optimizer)
    assert len(guard.trips) == 1
    optimizer = torch.optim.SGD(other.parameters(), lr=1e-3)
    for x, y, bad in faulty.batches():
        if not bad:
            optimizer.zero_grad()
            F.cross_entropy(other(x), y).backward()
            optimizer.step()
    assert all(torch.equal(one, two) for one, two in zip(model.parameters(), other.parameters(), strict=True))
    recovery = [line for line in guard.last if line["event"] == "recovery"]
    assert [(line["step"], line["skips"]) for line in recovery] == [(faulty.BAD, 1)]


def test_only_so_many_steps_are_skipped(capfd):
    model, optimizer = made()
    seen = 0

    def train():
        nonlocal seen
        for _ in range(10):
            optimizer.zero_grad()
            loss = (model(torch.randn(4, 6)) / 0).sum()
            loss.backward()
            optimizer.step()
            seen += 1

    with miscast.guard(model, optimizer, on_trip="skip", max_skips=3), pytest.raises(miscast.TrippedError):
        train()
    assert seen == 3
    assert "the step is skipped" in capfd.readouterr().err


def test_a_function_decides():
    model, optimizer = made(faulty.Divides)
    trips = []
    with miscast.guard(model, optimizer, on_trip=trips.append) as guard:
        faulty.plain(model, optimizer)
    assert trips[0] is guard.trips[0]
    assert len(trips) == faulty.STEPS - faulty.BAD + 1

    def unknown(_):
        return "ignore"

    model, optimizer = made(faulty.Divides)
    with miscast.guard(model, optimizer, on_trip=unknown), pytest.raises(ValueError, match="'ignore'"):
        faulty.plain(model, optimizer)


def test_weights_that_were_not_finite_are_named():
    model, optimizer = made()
    with torch.no_grad():
        model.last.bias[2] = math.nan
    with miscast.guard(model, optimizer), pytest.raises(miscast.TrippedError) as caught:
        faulty.plain(model, optimizer)
    first = caught.value.trip.rerun.producers[0]
    assert (first.op, first.tensor, first.nan) == ("", "the parameter last.bias", 1)


def test_a_batch_that_is_not_finite_is_named():
    model, optimizer = made()

    def train():
        for step in range(3):
            batch = {"x": torch.randn(4, 6), "y": torch.ones(4, dtype=torch.long)}
            if step == 2:
                batch["x"][1, 1] = math.nan
            loss = F.cross_entropy(model(batch["x"]), batch["y"])
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()

    with miscast.guard(model, optimizer), pytest.raises(miscast.TrippedError) as caught:
        train()
    assert caught.value.trip.rerun.producers[0].tensor == "`batch['x']`"


@pytest.mark.usefixtures("deterministic")
def test_memory_that_was_not_written_is_named():
    model, optimizer = made()

    def train():
        for step in range(3):
            x = torch.randn(4, 6)
            out = model(x)
            more = torch.empty(4, 4)
            if step < 2:
                more.fill_(0)
            loss = (out + more).sum()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()

    with miscast.guard(model, optimizer), pytest.raises(miscast.TrippedError) as caught:
        train()
    assert caught.value.trip.rerun.equal
    assert caught.value.trip.rerun.producers[0].tensor == "uninitialized memory"


@pytest.fixture
def deterministic():
    """torch fills the memory of `torch.empty` with NaN."""
    torch.use_deterministic_algorithms(mode=True)
    yield
    torch.use_deterministic_algorithms(mode=False)


def test_a_norm_that_overflows_on_finite_gradients_is_no_trip():
    """A float32 norm is infinite above 1.8e19; each gradient is finite."""
    weight = nn.Parameter(torch.ones(4))
    model = nn.Module()
    model.weight = weight
    optimizer = torch.optim.SGD([weight], lr=0.0)
    with miscast.guard(model, optimizer, budget=1.0) as guard:
        (weight * 1e30).sum().backward()
        optimizer.step()
    assert guard.trips == ()
    assert [line["norm"] for line in guard.last if "norm" in line] == [pytest.approx(2e30)]


def test_infinities_that_are_meant_are_no_producers():
    """A causal mask in each step; the fault is elsewhere."""
    model, optimizer = made()
    mask = torch.full((4, 4), float("-inf")).triu(1)

    def train():
        for step in range(4):
            x = torch.randn(4, 6)
            out = model(x)
            weights = torch.softmax(out @ out.T + mask, -1).masked_fill(mask < 0, float("-inf")).exp()
            if step == 3:
                out = out - out
            loss = (weights @ (out / out.norm())).sum()  # here
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()

    with miscast.guard(model, optimizer), pytest.raises(miscast.TrippedError) as caught:
        train()
    producers = caught.value.trip.rerun.producers
    assert [one.op for one in producers][:1] == ["div"]
    assert "out.norm()" in producers[0].location.code


def test_a_transient_infinity_that_reaches_nothing_is_not_blamed():
    model, optimizer = made()
    with miscast.guard(model, optimizer) as guard:
        for _ in range(3):
            x = torch.randn(4, 6)
            out = model(x)
            seen = torch.where(out.detach() < 99, torch.zeros(()), 1 / (out.detach() * 0))
            (out + seen).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    assert guard.trips == ()


def test_what_the_models_arguments_are_made_of_is_not_made_again():
    """A batch that is taken, noise that is drawn, in the very call: the step is equal, and no batch is lost."""
    results = []
    for guarded in (False, True):
        model, optimizer = made(faulty.Divides)
        taken, losses = faulty.batches(), []
        guard = miscast.guard(model, optimizer, on_trip="report") if guarded else None
        for step in range(1, faulty.STEPS + 1):
            optimizer.zero_grad()
            loss = model(next(taken)[0] + torch.randn(8, 6), bad=step == faulty.BAD).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        results.append([*losses, torch.get_rng_state()])
        if guard:
            guard.remove()
            assert guard.trips[0].rerun.equal
            assert guard.trips[0].rerun.producers[0].op == "div"
    assert all(torch.equal(a.nan_to_num(7), b.nan_to_num(7)) for a, b in zip(*results, strict=True))


@pytest.mark.parametrize("each", [False, True])
def test_an_evaluation_with_gradients_on_is_no_beginning(each):
    model, optimizer = made(faulty.RootAtZero)

    def evaluated():
        return [float(model(x).mean().detach()) for x, _, _ in faulty.batches(7)]

    def train():
        for x, y, bad in faulty.batches():
            if each:
                evaluated()
            loss = F.cross_entropy(model(x, bad), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()

    with miscast.guard(model, optimizer) as guard:
        evaluated()
        with pytest.raises(miscast.TrippedError):
            train()
    assert guard.trips[0].step == faulty.BAD
    assert guard.trips[0].rerun.equal
    assert guard.trips[0].rerun.producers[0].node == "SqrtBackward0"


def test_a_step_at_fault_that_is_the_first():
    """Nothing is known yet of the lines; an evaluation came before."""
    model, optimizer = made(faulty.Divides)

    def train():
        for x, y, _ in faulty.batches():
            loss = F.cross_entropy(model(x, True), y)
            loss.backward()
            optimizer.step()

    with miscast.guard(model, optimizer) as guard:
        for x, _, _ in faulty.batches(3):
            model(x)
        with pytest.raises(miscast.TrippedError):
            train()
    assert guard.trips[0].step == 1
    assert guard.trips[0].rerun.equal
    assert guard.trips[0].rerun.producers[0].op == "div"


@pytest.mark.parametrize("told", [False, True])
def test_what_a_step_is_can_be_said(told):
    """Where no lines tell: the source is not there, and only the caller's line is run again, as a whole."""
    model, optimizer = made(faulty.Divides)
    space = {"F": F, "model": model}
    code = "def computed(x, y, bad):\n    loss = F.cross_entropy(model(x, bad), y)\n    loss.backward()\n"
    exec(code, space)
    computed = space["computed"]

    def train():
        for x, y, bad in faulty.batches():
            optimizer.zero_grad()
            guard.run(computed, x, y, bad) if told else computed(x, y, bad)
            optimizer.step()

    with miscast.guard(model, optimizer) as guard, pytest.raises(miscast.TrippedError) as caught:
        train()
    rerun = caught.value.trip.rerun
    assert rerun.equal
    assert rerun.producers[0].op == "div"


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        (("model", None), TypeError, "None is not a torch.optim"),
        (([], "optimizer"), TypeError, "is not a torch.nn"),
        (("model", "optimizer", {"on_trip": "stop"}), ValueError, "'stop'"),
        (("model", "optimizer", {"budget": 0}), ValueError, "budget=0"),
        (("model", "optimizer", {"log": "/no/such/folder/x"}), OSError, "No such file"),
    ],
)
def test_what_cannot_be_is_refused(arguments, error, says):
    known = dict(zip(("model", "optimizer"), made(), strict=True))
    model, optimizer, *more = (known.get(one, one) if isinstance(one, str) else one for one in arguments)
    with pytest.raises(error, match=says):
        miscast.guard(model, optimizer, **(more[0] if more else {}))
