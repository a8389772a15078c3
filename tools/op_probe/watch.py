"""Programs run under watch: every ATen call that they make, at each level of composites, forward and backward.

Calls are taken where Miscast's virtual machine sees them, by a fallback on the dispatch key TESTING_ONLY_GenericMode.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch

from miscast.running.torch_abi import DispatchKey, IncludedKeys, has_kernel
from miscast.vm.key import KEY, KEYSET, Exclude

from .call import Call, form, tensors
from .units import Program

_COMPOSITE = DispatchKey.CompositeImplicitAutograd
SKIPPED = (
    "aten::set_", "aten::resize", "aten::_resize", "aten::record_stream",
    "aten::_backward", "aten::backward", "aten::requires_grad_", "aten::retain_grad",
    "aten::detach_", "aten::_assert", "aten::pin_memory", "aten::_pin_memory",
    "aten::_local_scalar_dense", "aten::item", "aten::lift", "aten::rename",
    "profiler::",
)  # fmt: skip
"""Ops that change what a tensor is, wait for another stream, or end the process: nothing about dtypes."""


class Watcher:
    """Hands each call of a program to `collect`. One for a process: a fallback is registered for good."""

    def __init__(self) -> None:
        """Register the fallback."""
        self.collect: Callable[[Call], None] | None = None
        self._library = torch.library.Library("_", "IMPL")
        self._library.fallback(self._handle, "TESTING_ONLY_GenericMode")

    def run(self, program: Program, collect: Callable[[Call], None]) -> None:
        """Run a program and its backward pass; what it raises is its own affair."""
        self.collect = collect
        try:
            with contextlib.suppress(Exception), IncludedKeys(KEY):
                results = [t for t in tensors(program.run()) if t.requires_grad]
                if results and program.leaves:
                    ones = [torch.ones_like(t) for t in results]
                    torch.autograd.grad(
                        results, program.leaves, ones, allow_unused=True
                    )
        finally:
            self.collect = None

    def _handle(self, op: Any, *args: Any, **kwargs: Any) -> Any:
        if self.collect is not None:
            with Exclude(KEYSET):
                kept = _keep(op, args, kwargs)
                if kept is not None:
                    self.collect(kept)
        if has_kernel(op.name(), "CompositeImplicitAutograd"):
            return op._op_dk(_COMPOSITE, *args, **kwargs)
        with Exclude(KEYSET):
            return op(*args, **kwargs)


def _keep(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call | None:
    """Return the call, if it says something about dtypes."""
    if op.name().startswith(SKIPPED):
        return None
    call = Call(form(op), args, kwargs)
    if not any(isinstance(v, torch.Tensor) for v in call.values) or not all(
        map(_plain, call.values)
    ):
        return None
    given = {**dict(zip(call.form.names, args, strict=False)), **kwargs}
    if any(given.get(name) is not None for name in call.form.dtyped):
        return None
    return call


def _plain(value: Any) -> bool:
    """Check whether it is no tensor, or a dense one with elements: torch looks at no dtype of an empty one."""
    if not isinstance(value, torch.Tensor):
        return True
    return (
        value.layout == torch.strided
        and not value.is_quantized
        and not value.is_nested
        and value.numel() > 0
    )


def copied(call: Call) -> Call:
    """Return the call with operands of its own."""
    return call.with_values([fresh(v) for v in call.values])


def fresh(value: Any) -> Any:
    """Return a detached copy of a tensor."""
    if not isinstance(value, torch.Tensor):
        return value
    with torch.no_grad():
        return value.detach().resolve_conj().resolve_neg().clone()
