"""Remembered results are those of torch's meta kernels, over torch's own operator database."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import islice

import pytest
import torch
from torch.testing._internal.common_methods_invocations import op_db

from miscast.vm.shape_cache import Remembering
from op_probe.database import inputs


@contextmanager
def remembered():
    """Each meta kernel in Python runs once per combination of operands within the block."""
    remembering = Remembering()
    try:
        remembering.begin()
        yield
    finally:
        remembering.end()


def describe(tree):
    if isinstance(tree, torch.Tensor):
        if tree.layout is not torch.strided:
            return tree.dtype, tuple(tree.shape)
        memory = tree.untyped_storage().nbytes()
        return tree.dtype, tuple(tree.shape), tree.stride(), tree.storage_offset(), memory, tree.requires_grad
    return tuple(describe(t) for t in tree) if isinstance(tree, (tuple, list)) else tree


def outcome(op, sample):
    """The results of an op and of its backward as metadata; or the type of its error."""
    try:
        out = op(sample.input, *sample.args, **sample.kwargs)
        outs = [t for t in (out if isinstance(out, (tuple, list)) else [out]) if _differentiable(t)]
        given = sample.input if isinstance(sample.input, (tuple, list)) else [sample.input]
        given = [t for t in (*given, *sample.args) if _differentiable(t)]
        grads = ()
        if outs and given:
            grads = torch.autograd.grad(outs, given, [torch.empty_like(t) for t in outs], allow_unused=True)
        return describe(out), describe([g for g in grads if g is not None])
    except Exception as error:  # noqa: BLE001 - whatever the kernel raises, it must raise again
        return type(error).__name__


def _differentiable(value):
    return isinstance(value, torch.Tensor) and value.requires_grad and value.layout is torch.strided


def samples_of(dtype):
    for op in op_db:
        if dtype in op.dtypes:
            try:
                for sample in islice(inputs(op, "meta", dtype, requires_grad=dtype.is_floating_point), 2):
                    yield op, sample
            except (RuntimeError, NotImplementedError, TypeError, ValueError):
                continue  # the database makes these inputs from values


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", [torch.float16, torch.int64], ids=str)
def test_nothing_differs_from_the_kernels(dtype):
    calls = list(samples_of(dtype))
    bare = [outcome(op, sample) for op, sample in calls]
    with remembered():
        asked = [outcome(op, sample) for op, sample in calls]
        known = [outcome(op, sample) for op, sample in calls]
    assert len(calls) > 500
    assert [c[0].name for c, *told in zip(calls, bare, asked, known, strict=True) if told != [told[0]] * 3] == []


def test_default_dtype_and_kinds_of_numbers_tell_results_apart():
    counts = torch.empty(3, dtype=torch.int64, device="meta")
    with remembered():
        for _ in range(2):
            assert (counts / 2).dtype is torch.float32
            assert (counts * 2).dtype is torch.int64
            assert (counts * 2.0).dtype is torch.float32
        torch.set_default_dtype(torch.float64)
        try:
            assert (counts / 2).dtype is torch.float64
        finally:
            torch.set_default_dtype(torch.float32)


def test_results_are_new_memory_and_writes_return_their_target():
    x = torch.empty(3, device="meta")
    with remembered():
        for _ in range(2):
            assert (x + x).untyped_storage()._cdata != (x + x).untyped_storage()._cdata
            assert x.add_(1.0) is x


def test_errors_are_raised_each_time():
    with remembered():
        for _ in range(2):
            with pytest.raises(RuntimeError):
                torch.empty(3, device="meta") + torch.empty(4, device="meta")


def test_afterwards_the_kernels_are_torchs_again():
    x = torch.empty(3, device="meta")
    torch_kernel = torch._C._dispatch_dump("aten::add.Tensor")
    with remembered():
        assert torch._C._dispatch_dump("aten::add.Tensor") != torch_kernel
        x + x
    assert torch._C._dispatch_dump("aten::add.Tensor") == torch_kernel
