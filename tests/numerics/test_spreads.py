"""What a rule says of a result's numbers, held against the result of real torch."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional

from miscast.core.moments import Moments, constant, normal
from miscast.core.plugins import load, value
from miscast.numbers.ranges import spreads
from miscast.numbers.ranges.seen import Seen, measured, remember
from miscast.vm.provenance.record import Record, attach
from sweep import sweep

SIZE = (64, 128)
INPUTS = {
    "normal": lambda: torch.randn(SIZE),
    "shifted": lambda: torch.randn(SIZE) * 0.3 + 4,
    "uniform": lambda: torch.rand(SIZE) + 0.1,
    "small": lambda: torch.randn(SIZE) * 1e-3,
}
UNARY = (
    "relu", "relu6", "sigmoid", "tanh", "exp", "exp2", "expm1", "erf", "erfc", "atan", "asinh", "sinh", "cosh", "abs",
    "sign", "sqrt", "log", "log2", "log10", "rsqrt", "reciprocal", "floor", "ceil", "round", "trunc", "neg", "square",
    "deg2rad", "sin", "cos", "gelu", "silu", "mish", "hardswish", "elu", "softplus", "hardsigmoid",
)  # fmt: skip
STEPS = {"floor", "ceil", "round", "trunc", "sign"}  # told by fifteen points
IN_NN = {"gelu", "silu", "mish", "hardswish", "elu", "softplus", "relu6", "hardsigmoid"}


def rules():
    files = load(spreads.__name__, needs=(value("RULES", dict),))
    return {name: rule for file in files for name, rule in file.RULES.items()}


def virtual(real, moments=None):
    """A data-less tensor of which the moments of a real one are known, as if it were a large one."""
    meta = torch.empty_like(real, device="meta")
    attach(meta, Record(None, None, None))
    remember(meta, moments or _typical(real))
    return meta


def _typical(real):
    found = measured(real)
    return Moments(lo=found.lo, hi=found.hi, mean=found.mean, rms=found.rms, whole=found.whole)


def told(name, names, args, out):
    seen = Seen(name, names, args, {})
    seen.out = torch.empty_like(out, device="meta")
    return rules()[name](seen)


def hold(found, real, *, loose=1.5, off=0.25):
    """The bounds hold, and mean and size are about those of the result."""
    exact = measured(real)
    room = 1e-4 * max(abs(exact.lo), abs(exact.hi), 1e-6)
    assert found.lo - room <= exact.lo
    assert exact.hi <= found.hi + room
    assert abs(found.mean - exact.mean) <= off * exact.rms + 1e-6
    assert exact.rms / loose <= found.rms <= exact.rms * loose + 1e-6


@pytest.mark.parametrize("given", INPUTS)
@sweep("name", UNARY)
def test_functions_of_each_number(name, given):
    torch.manual_seed(0)
    real = INPUTS[given]()
    function = getattr(functional if name in IN_NN else torch, name)
    out = function(real)
    found = told(name, ("self",), (virtual(real),), out)
    if found is None:  # where a logarithm or a root is not of every number
        assert name in ("log", "log2", "log10", "rsqrt", "reciprocal", "sqrt")
        assert real.min() <= 0
        return
    hold(found, out, **({"loose": 2.0, "off": 0.5} if name in STEPS else {"loose": 1.6}))


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("add", torch.add), ("sub", torch.sub), ("mul", torch.mul),
    ],
)  # fmt: skip
@sweep("given", INPUTS)
def test_arithmetic(name, function, given):
    torch.manual_seed(0)
    one, other = INPUTS[given](), torch.randn(SIZE) * 2 + 1
    hold(told(name, ("self", "other"), (virtual(one), virtual(other)), function(one, other)), function(one, other))


def test_division_by_what_may_be_zero_is_unknown():
    real = torch.randn(SIZE)
    assert told("div", ("self", "other"), (virtual(real), virtual(real)), real) is None
    positive = torch.rand(SIZE) + 0.5
    hold(told("div", ("self", "other"), (virtual(real), virtual(positive)), real), real / positive)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("sum", lambda x: x.sum(-1)), ("mean", lambda x: x.mean(-1)), ("var", lambda x: x.var(-1)),
        ("std", lambda x: x.std(-1)), ("linalg_vector_norm", lambda x: x.norm(dim=-1)), ("sum", lambda x: x.sum()),
        ("amax", lambda x: x),
    ],
)  # fmt: skip
def test_reductions(name, function):
    torch.manual_seed(0)
    real = torch.randn(SIZE) + 0.5
    out = function(real)
    found = told(name, ("self",), (virtual(real),), out)
    assert found.lo <= measured(out).lo
    assert found.hi >= measured(out).hi
    assert found.rms == pytest.approx(measured(out).rms, rel=0.5)


def test_matrix_products():
    torch.manual_seed(0)
    left, right, bias = torch.randn(32, 256), torch.randn(256, 64) * 0.1 + 0.02, torch.randn(64)
    hold(told("mm", ("self", "mat2"), (virtual(left), virtual(right)), left @ right), left @ right)
    out = functional.linear(left, right.T, bias)
    names, given = ("input", "weight", "bias"), (virtual(left), virtual(right.T.contiguous()), virtual(bias))
    hold(told("linear", names, given, out), out)
    picture, kernel = torch.randn(2, 3, 16, 16), torch.randn(8, 3, 3, 3)
    out = functional.conv2d(picture, kernel)
    hold(told("conv2d", ("input", "weight"), (virtual(picture), virtual(kernel)), out), out)


def test_softmax_and_norms():
    torch.manual_seed(0)
    scores = torch.randn(64, 500) * 2
    out = scores.softmax(-1)
    found = told("softmax", ("self", "dim"), (virtual(scores), -1), out)
    assert found.lo <= out.median().item()
    assert found.mean == pytest.approx(1 / 500)
    real = functional.layer_norm(scores, (500,))
    hold(told("layer_norm", ("input",), (virtual(scores),), real), real)


def test_what_is_made():
    assert told("randn", ("size",), ([3],), torch.empty(3)) == normal(0.0, 1.0)
    assert told("full", ("size", "fill_value"), ([3], 7.0), torch.empty(3)) == constant(7.0)
    found = told("arange", ("end",), (10,), torch.empty(10))
    assert (found.lo, found.hi, found.whole) == (0.0, 9.0, True)


def test_several_together():
    torch.manual_seed(0)
    parts = [torch.randn(100), torch.randn(300) * 3 + 1]
    hold(told("cat", ("tensors",), ([virtual(p) for p in parts],), torch.cat(parts)), torch.cat(parts))


def test_bounds_of_what_may_be_infinite_stay_bounds():
    far = Moments(lo=-1e300, hi=1e300, mean=0.0, rms=1e200)
    found = told("mul", ("self", "other"), (virtual(torch.ones(4), far), virtual(torch.ones(4), far)), torch.ones(4))
    assert math.isinf(found.hi)
