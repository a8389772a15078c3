"""What is told of a result's numbers, held against real torch for each op of its own database (`op_db`).

Each op is run on the machine with inputs of which the moments are known and no number, and for real on numbers that
have them. What is told has to hold: no number of the real result is out of the bounds, but for rounding; of results of
64 numbers and more the mean is within 0.8 of their size, and the size within a factor of 2.5. Of ops that choose among
numbers (the largest, the first of a sort) the bounds are held only: which are chosen, moments cannot know.
"""

from __future__ import annotations

from functools import partial

import pytest
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_map

import miscast
from miscast.core.moments import Moments
from miscast.numbers.ranges.seen import measured, moments_of, numbers, remember
from op_probe.database import inputs
from sweep import sweep

# all ops are run before the first test; some of them are about to go, and torch says so
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

LEAST = 300
"""Of so many ops something is told."""
SAMPLES = 2
LARGE = 64
OFF, FACTOR = 0.8, 2.5
CHOSEN = {
    "topk", "sort", "max.reduction_with_dim", "min.reduction_with_dim", "aminmax", "cummax", "cummin", "kthvalue",
    "nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d", "amax", "amin", "masked.amax",
    "masked.amin", "nn.functional.max_pool1d", "nn.functional.max_pool2d", "nn.functional.max_pool3d", "fmax", "fmin",
    "nn.functional.adaptive_max_pool1d", "nn.functional.adaptive_max_pool2d", "nn.functional.adaptive_max_pool3d",
    "masked.argmax", "masked.argmin", "argmax", "argmin", "eq", "ne", "isclose", "isin", "all", "any", "logical_and",
    "logical_or", "logical_not", "logical_xor", "msort", "mode", "median", "nanmedian", "quantile", "nanquantile",
}  # fmt: skip
CASTS = {"half", "bfloat16", "chalf"}
UNKNOWN = ("fft.fft", "linalg.svd", "linalg.det", "nn.functional.ctc_loss", "isnan", "cdist")
"""Some that have no rule, and shall have none by chance."""
UNKNOWN_FAMILIES = ("jiterator", "sparse.", "fft.", "linalg.l", "linalg.s", "linalg.e", "linalg.p", "signal.")
STEPPED = {"round", "floor", "ceil", "trunc", "sign", "sgn", "heaviside"}


def name_of(op):
    return op.name + ("." + op.variant_test_name if op.variant_test_name else "")


OPS = {
    name_of(op): op
    for op in op_db
    if torch.float32 in op.dtypes
    and (not op.name.startswith(UNKNOWN_FAMILIES) or name_of(op) in UNKNOWN)
}


def first(result):
    return result[0] if isinstance(result, (tuple, list)) and result else result


def samples(op):
    """The first few, with their real results."""
    torch.manual_seed(0)
    for number, sample in enumerate(inputs(op, "cpu", torch.float32)):
        if number == SAMPLES:
            return
        real = first(op.op(sample.input, *sample.args, **sample.kwargs))
        if isinstance(real, torch.Tensor):
            yield sample, real.detach().clone()


def virtual(value):
    """A tensor of the machine, of which only the moments are known."""
    if not (isinstance(value, torch.Tensor) and value.is_floating_point()):
        return value
    found = measured(value)
    tensor = torch.empty(value.shape, dtype=value.dtype)
    remember(
        tensor,
        found and Moments(lo=found.lo, hi=found.hi, mean=found.mean, rms=found.rms, whole=found.whole),
    )
    return tensor


def look(op, given, told):
    for sample, real in given:
        try:
            args = tree_map(virtual, (sample.input, sample.args, sample.kwargs))
            out = first(op.op(args[0], *args[1], **args[2]))
        except (RuntimeError, NotImplementedError, TypeError, ValueError):
            continue
        if isinstance(out, torch.Tensor) and numbers(out) is None:
            told.append((moments_of(out), real))


@pytest.fixture(scope="module")
def told():
    """Of each op what is told, and the real result: in one run of the machine."""
    real, found = {}, {name: [] for name in OPS}
    for name, op in OPS.items():
        try:
            real[name] = list(samples(op))
        except (RuntimeError, NotImplementedError, TypeError, ValueError, AttributeError, ModuleNotFoundError):
            real[name] = []

    def every():
        for name, op in OPS.items():
            look(op, real[name], found[name])

    report = miscast.check(partial(every), numerics=True)
    assert report.failed is None
    return {name: [pair for pair in pairs if pair[0] is not None] for name, pairs in found.items()}


def broken(name, said, real):
    """What does not hold of what was said."""
    exact = measured(real)
    if exact is None:
        return []
    half = real.dtype if real.is_floating_point() and name in CASTS else torch.float32
    room = max(torch.finfo(half).eps, 1e-4) * max(abs(exact.lo), abs(exact.hi), 1e-6)
    wrong = []
    if said.lo - room > exact.lo:
        wrong.append(f"lo {said.lo} > {exact.lo}")
    if said.hi + room < exact.hi:
        wrong.append(f"hi {said.hi} < {exact.hi}")
    if real.numel() < LARGE or name in CHOSEN or name.partition(".")[0] in STEPPED:
        return wrong
    if abs(said.mean - exact.mean) > OFF * exact.rms + 1e-6:
        wrong.append(f"mean {said.mean}, not {exact.mean}")
    if not exact.rms / FACTOR - 1e-6 <= said.rms <= exact.rms * FACTOR + 1e-6:
        wrong.append(f"rms {said.rms}, not {exact.rms}")
    return wrong


@sweep("name", OPS)
def test_what_is_told_holds(told, name):
    for said, real in told[name]:
        assert not broken(name, said, real)


def test_of_many_ops_something_is_told(told):
    assert sum(1 for pairs in told.values() if pairs) >= LEAST


def test_of_what_has_no_rule_nothing_is_told(told):
    for name in UNKNOWN:
        assert not told[name]
