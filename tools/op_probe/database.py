"""Units from torch's operator database: each op as it is, in place, and with `out=`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch

from miscast.running.torch_abi import (
    DispatchKeySet,
    dispatch_key,
    tree_flatten,
    tree_map_only,
    tree_unflatten,
)
from miscast.vm.key import Exclude

from .call import dtype_name
from .units import Program, Unit

SAMPLES = {"float32": 24}
MORE_SAMPLES = 6
"""The most samples of an op that run, in float32 and in each other dtype."""
PER_FORM = 2
"""The most samples with the same arguments present."""
SLOW = frozenset({"lobpcg", "svd_lowrank", "pca_lowrank"})
"""Iterative; their inner ops are swept as ops of their own. One sample will do."""


def units() -> Iterator[Unit]:
    """Yield one for each entry of the database."""
    from torch.testing._internal import common_methods_invocations as database

    yield from (_unit(info, foreach=False) for info in database.op_db)
    for kind in ("unary", "binary", "pointwise", "reduce", "other"):
        yield from (
            _unit(info, foreach=True)
            for info in getattr(database, f"foreach_{kind}_op_db", ())
        )


def _unit(info: Any, *, foreach: bool) -> Unit:
    name = info.name + (f":{info.variant_test_name}" if info.variant_test_name else "")

    def programs(device: str, dtype: torch.dtype) -> Iterator[Program]:
        if dtype not in info.supported_dtypes(device):
            return
        function = info.method_variant if foreach else info.op
        for n, sample in enumerate(_samples(info, device, dtype)):
            yield _program(function, sample, gradient=info.supports_autograd)
            if info.inplace_variant is not None:
                yield _program(
                    info.inplace_variant,
                    sample,
                    in_place=True,
                    gradient=info.supports_autograd,
                )
            if n < PER_FORM and info.supports_out and not foreach:
                yield _program(_into(function), sample)

    return Unit(name, programs)


def inputs(
    info: Any, device: str, dtype: torch.dtype, *, requires_grad: bool = False
) -> Iterator[Any]:
    """Yield `info.sample_inputs`, without its slow search for a unittest among all callers."""
    from torch.testing._internal.common_utils import SEED, set_rng_seed

    made = iter(info.sample_inputs_func(info, device, dtype, requires_grad))
    while True:
        set_rng_seed(SEED)
        try:
            sample = next(made)
        except StopIteration:
            return
        yield sample


def _samples(info: Any, device: str, dtype: torch.dtype) -> Iterator[Any]:
    """Yield samples that differ in which arguments they have, and of which kind."""
    counts: dict[Any, int] = {}
    # a sample generator that does not know the device ends
    with contextlib.suppress(Exception):
        for sample in inputs(info, device, dtype):
            flat, spec = tree_flatten(((sample.input, *sample.args), sample.kwargs))
            if any(
                isinstance(value, torch.Tensor) and value.numel() == 0 for value in flat
            ):
                continue  # torch looks at no dtype of an empty tensor
            form = (str(spec), *map(_form, flat))
            counts[form] = counts.get(form, 0) + 1
            if counts[form] <= PER_FORM:
                yield sample
            enough = (
                1 if info.name in SLOW else SAMPLES.get(dtype_name(dtype), MORE_SAMPLES)
            )
            if sum(min(count, PER_FORM) for count in counts.values()) >= enough:
                return


def _form(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return (value.dtype, min(3, value.dim()))
    return value if isinstance(value, str) else type(value)


def _program(
    function: Callable[..., Any],
    sample: Any,
    *,
    in_place: bool = False,
    gradient: bool = False,
) -> Program:
    flat, spec = tree_flatten(((sample.input, *sample.args), sample.kwargs))
    flat = [t.detach().clone() if isinstance(t, torch.Tensor) else t for t in flat]
    leaves = [t.requires_grad_() for t in flat if gradient and _may_be_leaf(t)]

    def run() -> Any:
        given = [
            t.clone() if in_place and isinstance(t, torch.Tensor) else t for t in flat
        ]
        args, kwargs = tree_unflatten(given, spec)
        return function(*args, **kwargs)

    return Program(run, leaves)


def _may_be_leaf(value: Any) -> bool:
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return False
    return value.is_floating_point() or value.is_complex()


def _into(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*args: Any, **kwargs: Any) -> Any:
        with Exclude(_ALL_WATCHED), torch.no_grad():
            out = function(*args, **kwargs)
        return function(
            *args, **kwargs, out=tree_map_only(torch.Tensor, torch.empty_like, out)
        )

    return run


_ALL_WATCHED = DispatchKeySet(dispatch_key("TESTING_ONLY_GenericMode"))
