"""`miscast.check` under autocast against torch, over the whole operator database: each op as a user calls it."""

import contextlib
import random
import secrets

import pytest
import torch

from miscast.torch_facts import autocast

from .sweep import (
    BF16,
    F16,
    F32,
    F64,
    PAIRS,
    RAISES,
    by_miscast,
    by_torch,
    disagreements,
    drawn,
    paired,
    shuffled,
)

# On fake tensors, autocast is off inside kernels: there they cannot say what these give on a real device.
UNSEEN = ("ldexp", "linalg.pinv", "pinverse", "mvlgamma", "torch.ops.aten._safe_softmax")


@pytest.fixture(autouse=True)
def _one_thread():
    """Thousands of tiny calls: waking threads costs more than they save."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def pairs():
    """The first sample of every op, in all pairs of dtypes."""
    return [paired(sample, *pair) for sample in drawn(1, 1, random.Random(0)) for pair in PAIRS]


@pytest.fixture(scope="module")
def some():
    """Some samples of every op, some in place, dtypes at random; pytest shows the seed of a failure."""
    seed = secrets.randbelow(1 << 30)
    print("seed", seed)
    rng = random.Random(seed)
    return [shuffled(sample, rng) for sample in drawn(3, 60, rng, in_places=0.25)]


def own(found):
    return [str(one) for one in found if not one.also_without]


@pytest.mark.slow
@pytest.mark.minutes
@pytest.mark.parametrize("compute", [BF16, F16])
def test_cpu(pairs, compute):
    judged, found = disagreements(pairs, "cpu", compute)
    assert own(found) == []
    assert judged == len(pairs) > 3800


@pytest.mark.slow
@pytest.mark.minutes
def test_cpu_at_random(some):
    judged, found = disagreements(some, "cpu", BF16)
    assert len(own(found)) <= judged * 0.002, own(found)


def wrong_dtypes(found):
    """Where torch runs and `check` finds no fault, and yet dtypes differ, but only under autocast."""
    seen = [one for one in found if not one.sample.name.startswith(UNSEEN)]
    return [str(one) for one in seen if one.miscast[:1] != (RAISES,) and not one.also_without]


@pytest.mark.slow
@pytest.mark.minutes
@pytest.mark.parametrize("compute", [BF16, F16])
def test_cuda(pairs, compute):
    judged, found = disagreements(pairs, "cuda", compute)
    assert wrong_dtypes(found) == []
    assert judged - len(found) > 2800  # refused by `check`, and rightly so as far as known: no kernel, mixed dtypes


@pytest.mark.slow
@pytest.mark.minutes
def test_cuda_at_random(some):
    _, found = disagreements(some, "cuda", BF16)
    assert wrong_dtypes(found) == []


@contextlib.contextmanager
def cuda_policy_on_cpu():
    """The policies of cuda that these kernels meet, registered with torch for cpu: its dispatcher does the rest."""

    def up(tensor):
        return tensor.float() if isinstance(tensor, torch.Tensor) and tensor.dtype in (F16, BF16) else tensor

    def float32(op):
        def kernel(*args):
            with without:
                return op(*map(up, args))

        return kernel

    def total(x, dim, keepdim=False, *, dtype=None):
        with without:
            return aten.sum.dim_IntList(up(x), dim, keepdim, dtype=dtype)

    aten = torch.ops.aten
    without = torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU))
    library = torch.library.Library("aten", "IMPL")
    library.impl("sum.dim_IntList", total, "AutocastCPU")
    for op in (aten.pow.Scalar, aten.pow.Tensor_Tensor, aten.softmax.int):
        library.impl(op.name(), float32(op), "AutocastCPU")
    try:
        yield
    finally:
        library._destroy()


def test_what_fake_tensors_cannot_see():
    samples = [
        paired(sample, dtype, dtype)
        for name in UNSEEN
        if name != "pinverse"  # has a policy of its own on cpu, and on cuda is linalg.pinv
        for sample in drawn(3, 8, random.Random(0), only=name)
        for dtype in (F32, F16, BF16, F64)
    ]
    with cuda_policy_on_cpu():
        real = by_torch(samples, "cpu", BF16)
    ours = by_miscast(samples, "cuda", BF16)
    judged = [(str(s), r, o) for s, r, o in zip(samples, real, ours, strict=True) if RAISES not in (r[0], o[0])]
    assert [case for case in judged if case[1] != case[2]] == []
    changed = {s.name.split(".mv")[0] for s, r, f in zip(samples, real, by_torch(samples, "cuda", BF16), strict=True)
               if RAISES not in (r[0], f[0]) and r != f}  # fmt: skip
    assert changed >= {"ldexp", "linalg.pinv", "mvlgamma", "torch.ops.aten._safe_softmax.default"}


def test_ops_that_act_inside_exist():
    names = {f"aten.{n.split('::')[1]}" for n in torch._C._dispatch_get_all_op_names() if n.startswith("aten::")}
    assert names >= autocast.ACTS_INSIDE
