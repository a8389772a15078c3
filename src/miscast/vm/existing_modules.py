"""Models and optimizers that exist before a check: virtual while it runs, untouched afterwards.

A callable reaches them by arguments, closures and globals alike, so all that are alive are lent: their parameters and
buffers are replaced by virtual ones (tied ones stay tied) and put back at the end, with everything a program may have
set on the modules in between.
"""

from __future__ import annotations

import copy
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import torch

from ..running.process.live_objects import Alive
from .key import KEYSET, Exclude
from .provenance.record import is_meta, is_tensor
from .virtualize import virtualize
from .wrapper_subclasses import dispatches

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def borrowed() -> Iterator[None]:
    """Lend every live module and optimizer to the virtual machine."""
    lent: dict[int, torch.Tensor] = {}
    with ExitStack() as stack:
        with Exclude(KEYSET):
            alive = _alive().look()
            for one in alive:
                if isinstance(one, torch.nn.Module):
                    _lend_module(one, lent, stack)
            for one in alive:
                if isinstance(one, torch.optim.Optimizer):
                    _lend_optimizer(one, lent, stack)
        yield


@cache
def _alive() -> Alive:
    """Return one for the life of the process, so that it knows what it has found before."""
    return Alive()


def _lend_module(
    module: torch.nn.Module, lent: dict[int, torch.Tensor], stack: ExitStack
) -> None:
    tables = [
        module.__dict__.get(name) for name in ("_parameters", "_buffers", "_modules")
    ]
    own = [t for t in tables if isinstance(t, dict)]
    if any(t is None for t in tables):
        return
    stack.callback(_restore, [(t, dict(t)) for t in (module.__dict__, *own)])
    # a scripted module keeps them in C++, which lets nobody exchange them
    if len(own) < len(tables):
        return
    for table in own[:2]:
        _lend_table(table, lent)


def _lend_table(
    table: dict[str, torch.Tensor | None], lent: dict[int, torch.Tensor]
) -> None:
    for name, tensor in table.items():
        if tensor is not None and not is_meta(tensor):
            table[name] = _virtual(tensor, lent)


def _restore(tables: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    for table, content in tables:
        table.clear()
        table.update(content)


def _lend_optimizer(
    optimizer: torch.optim.Optimizer, lent: dict[int, torch.Tensor], stack: ExitStack
) -> None:
    groups, state = optimizer.param_groups, optimizer.state
    stack.callback(_restore, [(group, dict(group)) for group in groups])
    stack.callback(groups.__setitem__, slice(None), list(groups))
    stack.callback(setattr, optimizer, "param_groups", groups)
    stack.callback(setattr, optimizer, "state", state)
    for group in groups:
        group["params"] = [_virtual(p, lent) for p in group["params"]]
    virtual = copy.copy(state)
    virtual.clear()
    for key, value in state.items():
        virtual[_lent(key, lent)] = {name: _lent(v, lent) for name, v in value.items()}
    optimizer.state = virtual
    _lend_masters(optimizer, lent, stack)


def _lend_masters(
    optimizer: torch.optim.Optimizer, lent: dict[int, torch.Tensor], stack: ExitStack
) -> None:
    """Replace the float32 master weights and averages that an optimizer or its wrapper keeps in its own attributes."""
    for name, own in list(vars(optimizer).items()):
        if (
            name not in ("state", "defaults")
            and type(own) is dict
            and any(map(is_tensor, (*own, *own.values())))
        ):
            stack.callback(setattr, optimizer, name, own)
            setattr(
                optimizer,
                name,
                {_lent(key, lent): _lent(value, lent) for key, value in own.items()},
            )


def _lent(one: Any, lent: dict[int, torch.Tensor]) -> Any:
    return _virtual(one, lent) if is_tensor(one) else one


def _virtual(tensor: torch.Tensor, lent: dict[int, torch.Tensor]) -> torch.Tensor:
    # what it is made of becomes virtual when its own code takes it up
    if dispatches(type(tensor)):
        return tensor
    found = lent.get(id(tensor))
    if found is None:
        found = lent[id(tensor)] = virtualize(
            tensor, op="given model", kind="given", own=False
        )
        if found is not tensor and tensor.grad is not None:
            # torch lets it, for a tensor that says so
            if tensor.grad.dtype is not tensor.dtype:
                found.grad_dtype = tensor.grad.dtype
            found.grad = virtualize(
                tensor.grad, op="given model", kind="given", own=False
            )
    return found
