"""Read a module's members as torch stores them. No method that a program may override is called.

`Module.parameters()` leads through a dozen frames of torch.nn for each parameter; here it is one loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from torch.nn import Module

from .contents import attributes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import torch

    Kind = Literal["_parameters", "_buffers"]

_NOTHING: Mapping[str, Any] = {}
KINDS: tuple[Kind, ...] = ("_parameters", "_buffers")


def kept(module: Module, kind: str) -> Mapping[str, Any]:
    """Return what a module itself keeps of one kind (`_parameters`, `_buffers`, `_modules`), by name."""
    members = attributes_of(module).get(kind) or _NOTHING
    if isinstance(members, dict):
        return members
    # offloading libraries put a mapping there that moves what is read, and wraps the dict (compressed-tensors)
    wrapped = attributes_of(members).values()
    return next((one for one in wrapped if isinstance(one, dict)), members)


def module_parts(module: Module) -> list[Mapping[str, Any]]:
    """Return the parameters, buffers and modules that a module itself keeps, by name."""
    return [kept(module, kind) for kind in (*KINDS, "_modules")]


def submodules(module: Module) -> Iterator[tuple[str, Module]]:
    """Yield a module and all below it, each once, with its path, as `named_modules()` has them."""
    seen: set[int] = set()
    todo: list[tuple[str, Module]] = [("", module)]
    while todo:
        path, one = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield path, one
        below = [
            (name, part)
            for name, part in kept(one, "_modules").items()
            if part is not None
        ]
        todo += [
            (f"{path}.{name}" if path else name, part) for name, part in reversed(below)
        ]


def named_tensors(module: Module, kind: Kind) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the parameters or buffers of a module and all below it, each with its path."""
    for path, one in submodules(module):
        for name, tensor in kept(one, kind).items():
            if tensor is not None:
                yield (f"{path}.{name}" if path else name), tensor


def tensors_of(module: Module, *kinds: Kind) -> Iterator[torch.Tensor]:
    """Yield the same tensors without their paths; those of the first kind first."""
    for kind in kinds or KINDS:
        yield from (tensor for _, tensor in named_tensors(module, kind))
