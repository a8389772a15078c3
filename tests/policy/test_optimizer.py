"""Float32 master weights for half ones: they learn, they resume, and everything around an optimizer works on them."""

from __future__ import annotations

import copy
import importlib.util
import io

import pytest
import torch
from torch import nn

import miscast
from miscast import Policy, PolicyError
from miscast.policy.optimizer import MasterWeights
from sweep import sweep

BF16, F16, F32 = torch.bfloat16, torch.float16, torch.float32
TRUE = Policy.parse("bf16-true")
TINY = 1e-4
"""A learning rate whose AdamW steps are far below half a bfloat16 step (2^-8) at 1.0."""


def _model(dtype=BF16):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    with torch.no_grad():
        for p in model.parameters():
            p.fill_(1.0).mul_(torch.randn_like(p).sign())
    return model.to(dtype)


def _data(dtype=BF16):
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(32, 4, generator=generator)
    return x.to(dtype), (x.sum(1, keepdim=True) * 0.1).to(dtype)


def _loss(model, dtype=BF16):
    x, y = _data(dtype)
    return (model(x) - y).float().pow(2).mean()


def _train(model, optimizer, steps, dtype=BF16):
    for _ in range(steps):
        optimizer.zero_grad()
        _loss(model, dtype).backward()
        optimizer.step()
    return float(_loss(model, dtype).detach())


def _weights(model):
    return [p.detach().clone() for p in model.parameters()]


def test_master_weights_learn_where_plain_ones_stall():
    stalled, learning, exact = _model(), _model(), _model(F32)
    start = _weights(stalled)
    plain = torch.optim.AdamW(stalled.parameters(), lr=TINY, weight_decay=0.0)
    _train(stalled, plain, 100)
    assert all(torch.equal(a, b) for a, b in zip(start, stalled.parameters(), strict=True)), "not one bit moved"

    _train(learning, TRUE.optimizer(learning, torch.optim.AdamW, lr=TINY, weight_decay=0.0), 100)
    moved = [not torch.equal(a, b) for a, b in zip(start, learning.parameters(), strict=True)]
    assert all(moved)
    _train(exact, torch.optim.AdamW(exact.parameters(), lr=TINY, weight_decay=0.0), 100, F32)
    assert float(_loss(learning).detach()) == pytest.approx(float(_loss(exact, F32).detach()), rel=0.02)


@pytest.mark.parametrize(
    ("cls", "options"),
    [
        (torch.optim.AdamW, {"lr": 1e-3, "foreach": True}),
        (torch.optim.AdamW, {"lr": 1e-3, "fused": True}),
        (torch.optim.Adam, {"lr": 1e-3, "foreach": False}),
        (torch.optim.SGD, {"lr": 1e-3, "momentum": 0.9}),
        (torch.optim.RMSprop, {"lr": 1e-3}),
        (torch.optim.Adagrad, {"lr": 1e-3}),
    ],
    ids=str,
)
def test_resuming_continues_bit_for_bit(cls, options):
    model = _model()
    optimizer = TRUE.optimizer(model, cls, **options)
    _train(model, optimizer, 5)
    buffer = io.BytesIO()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, buffer)
    _train(model, optimizer, 5)

    for order in (("model", "optimizer"), ("optimizer", "model")):
        resumed = _model()
        again = TRUE.optimizer(resumed, cls, **options)
        buffer.seek(0)
        saved = torch.load(buffer, weights_only=True)
        for part in order:
            (resumed if part == "model" else again).load_state_dict(saved[part])
        _train(resumed, again, 5)
        assert all(torch.equal(a, b) for a, b in zip(model.parameters(), resumed.parameters(), strict=True))
        masters = zip(optimizer.masters.values(), again.masters.values(), strict=True)
        assert all(torch.equal(a, b) for a, b in masters)
        assert all(m.dtype == F32 for m in again.masters.values())


OPTIMIZERS = [
    (torch.optim.AdamW, {"lr": 1e-3, "weight_decay": 0.1}),
    (torch.optim.AdamW, {"lr": torch.tensor(1e-3)}),
    (torch.optim.SGD, {"lr": 1e-3, "momentum": 0.9}),
    (torch.optim.SGD, {"lr": 1e-3}),
    (torch.optim.Adagrad, {"lr": 1e-3}),
]


def _same(optimizer, other):
    weights = zip(*([p for g in o.param_groups for p in g["params"]] for o in (optimizer, other)), strict=True)
    masters = zip(optimizer.masters.values(), other.masters.values(), strict=True)
    return all(torch.equal(a, b) for a, b in (*weights, *masters))


@pytest.mark.filterwarnings("ignore:torch.distributed is disabled")
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("stepped", [False, True])
@sweep(("cls", "options"), OPTIMIZERS, ids=str)
def test_resuming_through_distributed_checkpoints(cls, options, stepped, flat, tmp_path):
    """Into a fresh optimizer, and into one that has gone another way; bit for bit as if nothing had come between."""
    from torch.distributed import checkpoint
    from torch.distributed.checkpoint import state_dict as dcp

    how = dcp.StateDictOptions(flatten_optimizer_state_dict=flat)

    def parts(model, optimizer):
        both = dcp.get_state_dict(model, optimizer, options=how)
        return dict(zip(("model", "optimizer"), both, strict=True))

    model = _model()
    optimizer = TRUE.optimizer(model, cls, **options)
    _train(model, optimizer, 5)
    optimizer.zero_grad()
    checkpoint.save(parts(model, optimizer), checkpoint_id=tmp_path, no_dist=True)
    saved = copy.deepcopy([m.detach() for m in optimizer.masters.values()])

    resumed = _model()
    again = TRUE.optimizer(resumed, cls, **options)
    if stepped:
        _train(resumed, again, 2, BF16)
        again.zero_grad()
    state = parts(resumed, again)
    checkpoint.load(state, checkpoint_id=tmp_path, no_dist=True)
    dcp.set_state_dict(
        resumed, again, model_state_dict=state["model"], optim_state_dict=state["optimizer"], options=how
    )
    assert all(torch.equal(a, b) for a, b in zip(saved, again.masters.values(), strict=True))
    _train(model, optimizer, 5)
    _train(resumed, again, 5)
    assert _same(optimizer, again)


@pytest.mark.parametrize("steps", [0, 3])
@pytest.mark.parametrize("how", ["copied", "pickled"])
@sweep(("cls", "options"), OPTIMIZERS, ids=str)
def test_a_copy_goes_on_by_itself(cls, options, steps, how):
    model = _model()
    optimizer = TRUE.optimizer(model, cls, **options)
    _train(model, optimizer, steps)
    optimizer.zero_grad()
    if how == "copied":
        twin, again = copy.deepcopy((model, optimizer))
    else:
        buffer = io.BytesIO()
        torch.save((model, optimizer), buffer)
        buffer.seek(0)
        twin, again = torch.load(buffer, weights_only=False)
    assert list(again.masters) == list(twin.parameters())
    before = _weights(twin)
    _train(model, optimizer, 5)
    assert all(torch.equal(a, b) for a, b in zip(before, twin.parameters(), strict=True)), "nothing is shared"
    _train(twin, again, 5)
    assert {p.grad.dtype for p in twin.parameters()} == {F32}
    assert _same(optimizer, again)
    scheduler = torch.optim.lr_scheduler.StepLR(again, 1)
    _train(twin, again, 1)
    scheduler.step()


def test_state_has_the_copies_and_takes_what_others_put_there():
    model = _model()
    optimizer = TRUE.optimizer(model, torch.optim.AdamW, lr=1e-3)
    assert len(optimizer.state) == 0
    _train(model, optimizer, 1)
    state = optimizer.state[model[0].weight]
    assert state["master"] is optimizer.masters[model[0].weight]
    state["exp_avg"] = torch.full_like(state["exp_avg"], 100.0)
    before = state["master"].detach().clone()
    _train(model, optimizer, 1)
    assert (before - state["master"] > 1e-3).all(), "what others put there is what it steps with"


def test_a_checkpoint_before_the_first_step_has_the_masters():
    model = _model()
    optimizer = TRUE.optimizer(model, torch.optim.AdamW, lr=1e-3)
    assert set(optimizer.state_dict()["state"]) == {0, 1, 2, 3}
    optimizer.load_state_dict(optimizer.state_dict())
    _train(model, optimizer, 1)


def test_a_checkpoint_without_masters_is_taken():
    model, reference = _model(), _model()
    plain = torch.optim.AdamW(reference.parameters(), lr=1e-3)
    _train(reference, plain, 2)
    model.load_state_dict(reference.state_dict())
    optimizer = TRUE.optimizer(model, torch.optim.AdamW, lr=1e-3)
    optimizer.load_state_dict(plain.state_dict())
    assert optimizer.state[model[0].weight]["step"] == 2
    assert _train(model, optimizer, 20) < float(_loss(reference).detach())


def test_gradients_accumulate_in_float32():
    """Sixty-four small gradients onto a large one: in bfloat16 each is lost."""
    for policy, dtype, total in ((TRUE, F32, 256 + 64 * 0.5), (Policy.parse("p=bf16,reduce=bf16"), BF16, 256)):
        weight = nn.Parameter(torch.ones(1, dtype=BF16))
        optimizer = policy.optimizer([weight], torch.optim.SGD, lr=1.0)
        (weight * 256).sum().backward()
        for _ in range(64):
            (weight * 0.5).sum().backward()
        assert weight.grad.dtype == dtype
        assert weight.grad.item() == total
        optimizer.step()
        assert optimizer.masters[weight].item() == 1 - total
        optimizer.zero_grad()
        assert weight.grad is None


def test_gradients_accumulate_in_float32_where_torch_has_no_grad_dtype(monkeypatch):
    """Before torch 2.10; the way through a hook is chosen by what the parameter has."""
    from miscast.policy import optimizer as module

    def older(thing, name):
        return name != "grad_dtype" and hasattr(thing, name)

    monkeypatch.setattr(module, "hasattr", older, raising=False)
    weight = nn.Parameter(torch.ones(1, dtype=BF16))
    optimizer = TRUE.optimizer([weight], torch.optim.SGD, lr=1.0)
    (weight * 256).sum().backward()
    for _ in range(64):
        (weight * 0.5).sum().backward()
    assert (weight.grad.dtype, weight.grad.item()) == (F32, 288)
    optimizer.step()
    assert optimizer.masters[weight].item() == 1 - 288


def test_schedulers_and_groups():
    model = _model()
    groups = [
        {"params": model[0].parameters(), "lr": 1e-2},
        {"params": [model[2].weight], "weight_decay": 0.1},
    ]
    optimizer = TRUE.optimizer(groups, torch.optim.AdamW, lr=1e-3)
    optimizer.add_param_group({"params": model[2].bias, "lr": 5e-3})
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.5**step)
    assert isinstance(optimizer, torch.optim.Optimizer)
    _train(model, optimizer, 1)
    scheduler.step()
    _train(model, optimizer, 1)
    assert [g["lr"] for g in optimizer.param_groups] == [5e-3, 5e-4, 2.5e-3]
    assert [g["lr"] for g in optimizer.inner.param_groups] == [5e-3, 5e-4, 2.5e-3]
    assert optimizer.inner.param_groups[1]["weight_decay"] == 0.1
    assert len(optimizer.masters) == 4
    assert not torch.equal(model[2].bias, _model()[2].bias)


def test_named_parameters():
    model = _model()
    optimizer = TRUE.optimizer(model.named_parameters(), torch.optim.AdamW, lr=1e-3)
    _train(model, optimizer, 2)
    assert optimizer.param_groups[0]["param_names"] == [name for name, _ in model.named_parameters()]
    optimizer.load_state_dict(optimizer.state_dict())


def test_clipping_and_a_grad_scaler():
    model = _model(F16)
    policy = Policy.parse("16-true")
    optimizer = policy.optimizer(model, torch.optim.SGD, lr=1.0)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10)
    before = [m.clone() for m in optimizer.masters.values()]
    scaler.scale(_loss(model, F16)).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
    scaler.step(optimizer)
    scaler.update()
    change = torch.cat([(a - b).flatten() for a, b in zip(before, optimizer.masters.values(), strict=True)])
    assert 0 < change.norm() <= 1.001e-3, "clipped gradients are what was stepped with"
    before = [m.clone() for m in optimizer.masters.values()]
    optimizer.zero_grad()
    scaler.scale(_loss(model, F16) * float("inf")).backward()
    scaler.step(optimizer)
    scaler.update()
    assert all(torch.equal(a, b) for a, b in zip(before, optimizer.masters.values(), strict=True)), "skipped"


@pytest.mark.parametrize(("cls", "options"), [(torch.optim.SGD, {"lr": 1e-2}), (torch.optim.LBFGS, {"max_iter": 5})])
def test_closures(cls, options):
    model = _model()
    optimizer = TRUE.optimizer(model, cls, **options)

    def closure():
        optimizer.zero_grad()
        loss = _loss(model)
        loss.backward()
        return loss

    first = float(optimizer.step(closure).detach())
    for _ in range(10):
        optimizer.step(closure)
    assert float(_loss(model).detach()) < first


def test_what_others_write_is_taken_over():
    model = _model()
    optimizer = TRUE.optimizer(model, torch.optim.SGD, lr=0.0)
    with torch.no_grad():
        model[0].weight[0, 0] = 7.0
    kept = optimizer.masters[model[0].weight]
    with torch.no_grad():
        kept[1, 1] += 1e-4
    _train(model, optimizer, 1)
    assert model[0].weight[0, 0] == 7.0
    assert kept[0, 0] == 7.0
    assert kept[1, 1] not in (1.0, -1.0), "what was not written keeps its float32 value"


def test_only_half_weights_have_copies():
    model = nn.Sequential(nn.Linear(2, 2, dtype=BF16), nn.Linear(2, 2))
    model[0].bias.requires_grad_(False)
    optimizer = TRUE.optimizer(model, torch.optim.AdamW, lr=1e-3)
    assert list(optimizer.masters) == [model[0].weight]
    assert type(TRUE.optimizer(nn.Linear(2, 2), torch.optim.AdamW, lr=1e-3)) is torch.optim.AdamW


def test_with_a_policy_on_the_model():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.Linear(8, 1))
    policy = Policy(param_dtype=BF16, overrides={"1": F32})
    miscast.apply(model, policy)
    optimizer = policy.optimizer(model, torch.optim.AdamW, lr=1e-2)
    assert isinstance(optimizer, MasterWeights)
    x, y = _data(F32)
    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        loss = (model(x) - y.to(BF16)).float().pow(2).mean()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < losses[0] / 2
    assert copy.deepcopy(model)(x).dtype == BF16


@pytest.mark.skipif(importlib.util.find_spec("optimi") is None, reason="torch-optimi is not installed")
def test_kahan_compensation():
    learning = _model()
    optimizer = TRUE.optimizer(learning, torch.optim.AdamW, rounding="kahan", lr=TINY, weight_decay=0.0)
    start = _weights(learning)
    _train(learning, optimizer, 100)
    assert all(not torch.equal(a, b) for a, b in zip(start, learning.parameters(), strict=True))
    assert not isinstance(optimizer, MasterWeights)
    with pytest.raises(PolicyError, match="rounding='kahan': torch-optimi has no LBFGS"):
        TRUE.optimizer(learning, torch.optim.LBFGS, rounding="kahan")
    with pytest.raises(PolicyError, match=r"rounding='kahan' with AdamW: .*unexpected keyword argument 'fused'"):
        TRUE.optimizer(learning, torch.optim.AdamW, rounding="kahan", lr=1.0, fused=True)


@pytest.mark.skipif(importlib.util.find_spec("torchao") is None, reason="torchao is not installed")
def test_stochastic_rounding():
    weight = nn.Parameter(torch.ones(1000, dtype=BF16))
    optimizer = TRUE.optimizer([weight], torch.optim.AdamW, rounding="stochastic", lr=TINY, weight_decay=0.0)
    for _ in range(10):
        weight.grad = torch.ones_like(weight)
        optimizer.step()
    assert float(weight.detach().float().mean()) == pytest.approx(1 - 10 * TINY, abs=3e-4)


@pytest.mark.parametrize(("rounding", "module", "package"), [
    ("kahan", "optimi", "torch-optimi"), ("stochastic", "torchao.optim", "torchao"),
])  # fmt: skip
def test_a_library_that_is_missing(rounding, module, package, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(PolicyError) as error:
        TRUE.optimizer(_model(), torch.optim.AdamW, rounding=rounding, lr=1e-3)
    assert str(error.value) == f"rounding='{rounding}' needs {package}: pip install {package}"


def test_another_rounding():
    with pytest.raises(PolicyError, match="rounding='up': expected 'kahan', 'stochastic'"):
        TRUE.optimizer(_model(), torch.optim.AdamW, rounding="up", lr=1e-3)
