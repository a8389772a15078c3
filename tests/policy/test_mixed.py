"""A mixed policy is `torch.autocast` around the model: the same ops in the same dtypes, and it ends with the call."""

from __future__ import annotations

import copy
import threading
import warnings

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

import miscast
from miscast import Policy
from models import tiny
from sweep import sweep

BF16, F16, F32 = torch.bfloat16, torch.float16, torch.float32
IDS = torch.tensor([[1, 2, 3, 4]])
HALF = {"bf16-mixed": BF16, "16-mixed": F16}


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x):
        return torch.relu(x + self.norm(self.conv(x)))


class ConvNet(nn.Module):
    """Its parts are doors: stem, stages and head can be called by themselves."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.stages = nn.Sequential(Residual(8), Residual(8))
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        return self.head(self.stages(self.stem(x)).mean((2, 3)))


class SwitchingOff(nn.Module):
    """Wants one of its parts, a door, in float32."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.careful = nn.Linear(4, 4)

    def forward(self, x):
        y = self.first(x)
        with torch.autocast("cpu", enabled=False):
            return self.careful(y.float())


class Ops(TorchDispatchMode):
    """Every op below autocast and autograd, with the dtypes of what it takes and gives."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        dtypes = [t.dtype for t in tree_leaves((args, kwargs, out)) if isinstance(t, torch.Tensor)]
        self.seen.append((str(func), dtypes))
        return out


def _latents():
    return torch.randn(1, 4, 8, 8)


PROGRAMS = {
    "residual net": (ConvNet, lambda m: m(torch.randn(2, 3, 8, 8))),
    "switching off": (SwitchingOff, lambda m: m(torch.randn(2, 4))),
    "rnn": (lambda: nn.Sequential(nn.LSTM(4, 4)), lambda m: m(torch.randn(3, 2, 4))[0]),
    "transformer": (
        lambda: nn.Transformer(8, 2, 1, 1, 16, dropout=0.0, batch_first=True),
        lambda m: m(torch.randn(3, 2, 8), torch.randn(3, 2, 8)),
    ),
    "unet": (tiny.unet, lambda m: m(_latents(), 10, torch.randn(1, 6, 16)).sample),
    "vae": (tiny.vae, lambda m: m(torch.randn(1, 3, 16, 16)).sample),
    "flux": (
        tiny.flux,
        lambda m: m(
            hidden_states=torch.randn(1, 4, 4),
            encoder_hidden_states=torch.randn(1, 3, 16),
            pooled_projections=torch.randn(1, 16),
            timestep=torch.tensor([0.5]),
            img_ids=torch.zeros(4, 3),
            txt_ids=torch.zeros(3, 3),
            guidance=torch.tensor([1.0]),
        ).sample,
    ),
    "sd3": (
        tiny.sd3,
        lambda m: m(_latents(), torch.randn(1, 3, 16), torch.randn(1, 16), torch.tensor([5])).sample,
    ),
    "llama": (tiny.llama, lambda m: m(input_ids=IDS, labels=IDS).loss),
    "t5": (tiny.t5, lambda m: m(input_ids=IDS, labels=IDS).loss),
    "bert": (tiny.bert, lambda m: m(input_ids=IDS).last_hidden_state),
    "vit": (tiny.vit, lambda m: m(pixel_values=torch.randn(1, 3, 8, 8)).last_hidden_state),
    "clip": (tiny.clip, lambda m: m(input_ids=IDS, pixel_values=torch.randn(1, 3, 8, 8)).logits_per_image),
    "whisper": (tiny.whisper, lambda m: m(input_features=torch.randn(1, 8, 20), decoder_input_ids=IDS).logits),
}


@pytest.mark.filterwarnings("ignore:Mismatch dtype between input and weight")
@pytest.mark.parametrize(
    ("program", "policy"),
    [(program, policy) for program in PROGRAMS for policy in HALF if (program, policy) != ("rnn", "16-mixed")],
)
def test_the_same_ops_in_the_same_dtypes(program, policy):
    build, run = PROGRAMS[program]
    torch.manual_seed(0)
    plain = build().train()
    ours = copy.deepcopy(plain)
    miscast.apply(ours, policy)

    def ran(model, dtype=None):
        torch.manual_seed(1)
        with Ops() as ops, torch.autocast("cpu", dtype or BF16, enabled=dtype is not None):
            out = run(model)
        with Ops() as backward:
            out.float().square().sum().backward()
        return out, ops.seen, backward.seen

    try:
        expected, expected_ops, expected_backward = ran(plain, HALF[policy])
    except RuntimeError as error:  # an LSTM in bfloat16 wants a processor that oneDNN knows
        if "primitive descriptor" not in str(error):
            raise
        pytest.skip("torch itself has no such kernel for this processor")
    out, ops, backward = ran(ours)
    assert ops == expected_ops
    assert backward == expected_backward
    assert torch.equal(out, expected)
    for (path, a), (_, b) in zip(ours.named_parameters(), plain.named_parameters(), strict=True):
        assert (a.grad is None) == (b.grad is None), path
        assert a.grad is None or torch.equal(a.grad, b.grad) or a.grad.isnan().equal(b.grad.isnan()), path


def test_a_door_called_from_outside_opens_the_region():
    net = ConvNet()
    miscast.apply(net, "bf16-mixed")
    image = torch.randn(1, 3, 8, 8, dtype=torch.float64)
    assert net.stem(image).dtype == BF16
    assert net.stages(net.stem(image)).dtype == BF16, "as inside: the residual stream stays half"
    assert not torch.is_autocast_enabled("cpu")


def test_only_what_autocast_passes_by_is_cast():
    class Given(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = nn.Linear(2, 2)

        def forward(self, x):
            return x

    model = Given()
    miscast.apply(model, "bf16-mixed")
    for outside in (False, True):
        with torch.autocast("cpu", BF16, enabled=outside):
            for x in (torch.ones(2), torch.ones(2, dtype=BF16), torch.ones(2, dtype=F16)):
                assert model(x) is x
            assert model(torch.ones(2, dtype=torch.float64)).dtype == F32


def test_methods_that_use_doors_run_as_under_autocast():
    model, plain = tiny.vae(), tiny.vae()
    plain.load_state_dict(model.state_dict())
    miscast.apply(model, "bf16-mixed")
    x = _latents()
    with Ops() as ops:
        out = model.decode(x).sample
    with Ops() as expected, torch.autocast("cpu", BF16):
        plain_out = plain.decode(x).sample
    assert torch.equal(out, plain_out)
    assert ops.seen == expected.seen


def test_a_change_inside_an_autocast_region_hands_out_what_it_made():
    """Autocast takes every dtype but float64; casting a float16 part's outputs to float32 would only cost memory."""
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4))
    seen = []
    net[2].register_forward_pre_hook(lambda _, args: seen.append(args[0].dtype))
    for part, leaves in ((BF16, BF16), (F32, F32), (torch.float64, F32)):
        miscast.apply(net, Policy(param_dtype=F32, compute_dtype=BF16, overrides={"1": part}))
        net(torch.randn(1, 4))
        assert seen.pop() == leaves


ENDS = [KeyboardInterrupt, SystemExit, GeneratorExit, RuntimeError]


@pytest.mark.parametrize("where", ["model", "door", "part that is switched off"])
@sweep("error", ENDS)
def test_autocast_ends_whatever_ends_the_call(error, where):
    class Stopped(nn.Linear):
        def forward(self, x):
            if x.shape[0] == 3:
                raise error
            return super().forward(x)

    model = nn.ModuleDict({"first": Stopped(2, 2)}) if where == "door" else nn.Sequential(nn.ReLU(), Stopped(2, 2))
    overrides = {"1": F32} if where == "part that is switched off" else {}
    handle = miscast.apply(model, Policy(param_dtype=F32, compute_dtype=BF16, overrides=overrides))
    call = model["first"] if where == "door" else model
    with pytest.raises(error):
        call(torch.ones(3, 2))
    assert not torch.is_autocast_enabled("cpu")
    assert nn.Linear(2, 2)(torch.ones(1, 2)).dtype == F32
    assert call(torch.ones(1, 2)).dtype == (F32 if overrides else BF16), "and the next call is as ever"
    handle.remove()
    with torch.autocast("cpu", F16), pytest.raises(error):
        call(torch.ones(3, 2))


def test_threads_share_a_model():
    """One is inside of it, the other calls a door from outside."""
    inside, done = threading.Event(), threading.Event()

    class Waits(nn.Module):
        def __init__(self):
            super().__init__()
            self.door = nn.Linear(2, 2)

        def forward(self, x):
            y = self.door(x)
            inside.set()
            done.wait(10)
            return y

    model = Waits()
    miscast.apply(model, "bf16-mixed")
    found = []
    thread = threading.Thread(target=lambda: found.append(model(torch.ones(1, 2)).dtype))
    thread.start()
    inside.wait(10)
    found.append(model.door(torch.ones(1, 2)).dtype)
    done.set()
    thread.join()
    assert found == [BF16, BF16]


@pytest.mark.parametrize("policy", ["bf16-true", "bf16-mixed"])
def test_what_would_lose_a_policy_says_so(policy):
    net = ConvNet().eval()
    handle = miscast.apply(net, policy)
    with pytest.raises(miscast.PolicyError, match=r"torch.jit.script omits what the policy does around ConvNet"):
        torch.jit.script(net)
    whole = nn.Sequential(nn.ReLU(), net)
    for root in (net, whole):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            torch.fx.symbolic_trace(root)
        assert any("torch.fx omits what the policy does around ConvNet" in str(w.message) for w in told)
    with pytest.raises(miscast.PolicyError, match=r"torch.jit.script omits"):
        torch.jit.script(whole)
    with pytest.raises(miscast.PolicyError, match=r"torch.nn.DataParallel copies ConvNet without"):
        net._replicate_for_data_parallel()
    assert repr(net).startswith("ConvNet(")
    handle.remove()
    torch.fx.symbolic_trace(net)
    torch.jit.script(net)
    net._replicate_for_data_parallel()


@pytest.mark.parametrize("policy", ["bf16-true", "bf16-mixed"])
def test_what_takes_a_policy_along(policy):
    net = ConvNet().eval()
    traced_first = torch.fx.symbolic_trace(copy.deepcopy(net))
    miscast.apply(net, policy)
    miscast.apply(traced_first, policy)
    x = torch.randn(1, 3, 8, 8)
    with torch.no_grad():
        expected = net(x)
        assert torch.equal(traced_first(x), expected)
        assert torch.equal(torch.jit.trace(net, (x,), check_trace=False)(x), expected)
        assert torch.equal(torch.export.export(net, (x,)).module()(x), expected)
