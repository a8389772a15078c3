"""Resolve a policy for each module of a program, and find where it changes on the way in.

A *cell* is what the policy says of one module: its dtypes after all overrides. A *region* is what is in effect while
such modules run: the dtype that floats enter in, and the autocast, if parameters are stored in another dtype.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import nn

from ..core.similar import similar
from .fields import DTYPES, PolicyError
from .kept import Keep, adapters, declared_float32, kept
from .matching import left_out, names, wider
from .policy import Policy
from .quantized import computes_in, is_number, own_tensors
from .torch_dtypes import torch_dtype

_WRAPPERS = {
    "OptimizedModule": "_orig_mod",
    "CheckpointWrapper": "_checkpoint_wrapped_module",
    "FullyShardedDataParallel": "_fsdp_wrapped_module",
    "DistributedDataParallel": "module",
}
"""Classes that wrap a model, and the child that it is: paths are the model's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The dtypes a policy gives one module."""

    param: torch.dtype | None = None
    compute: torch.dtype | None = None
    buffer: torch.dtype | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One module as the policy sees it."""

    path: str
    module: nn.Module
    parent: Site | None
    """The nearest module around that is called; containers such as ModuleList are not."""
    listed: bool
    """True if it is an element of such a container."""
    cell: Cell
    output: torch.dtype | None
    """The dtype of outputs, if the policy or an override names this very module."""
    keep: Mapping[str, Keep]
    """Its parameters and buffers that stay, by name."""

    @property
    def component(self) -> Site:
        """The outermost enclosing module."""
        return self if self.parent is None else self.parent.component


def components(target: Any) -> dict[str, nn.Module]:
    """Return the modules of a program by name: a module is one without a name, a pipeline or a mapping has several.

    Raises TypeError for what has no modules.
    """
    if isinstance(target, nn.Module):
        return {"": target}
    parts = (
        target if isinstance(target, Mapping) else getattr(target, "components", None)
    )
    found = {
        str(name): part
        for name, part in (parts or {}).items()
        if isinstance(part, nn.Module)
    }
    if not found:
        raise TypeError(
            f"a policy can be applied to a module, a pipeline or a mapping of modules, not to {type(target).__name__}"
        )
    return found


def sites(parts: Mapping[str, nn.Module], policy: Policy) -> list[Site]:
    """Return every module once, outer ones first. Raises PolicyError where a shared module would need two dtypes."""
    found: dict[int, Site] = {}
    used: set[str] = set()
    paths: list[str] = []
    for root, model in parts.items():
        walk = _Walk(policy, used)
        for site in walk.of(model, root):
            paths.append(site.path)
            other = found.setdefault(id(site.module), site)
            if other.cell != site.cell:
                raise PolicyError(
                    f"{other.path} and {site.path} are the same module, but the policy gives them different dtypes: "
                    "cover both with one override"
                )
    for pattern, _ in policy.overrides:
        told = _less_than_meant(pattern, paths, named=pattern in used)
        if told:
            warnings.warn(told, stacklevel=3)
    return list(found.values())


def _less_than_meant(pattern: str, paths: list[str], *, named: bool) -> str | None:
    """Return what to say of an override that names no module, or fewer than it seems to."""
    if named and "*" not in pattern:
        return None
    missed = left_out(pattern, paths)
    if missed:
        more = f" and {len(missed) - 3} more" if len(missed) > 3 else ""
        what = (
            "matches fewer modules than it seems to" if named else "matches no module"
        )
        meant = wider(pattern, anywhere=not named)
        return f"the override {pattern!r} {what}: {meant!r} would match {', '.join(missed[:3])}{more}"
    if named:
        return None
    what = f"the override {pattern!r} matches no module"
    return ": ".join(filter(None, (what, similar(pattern, paths))))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """The position of the walk, and what it met on the way there."""

    path: str
    around: Policy
    """The enclosing policy. Only the outermost module has its `output_dtype`."""
    parent: Site | None = None
    listed: bool = False
    declared: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    """The names that each enclosing model keeps in float32, by its path."""
    adapter: bool = False


class _Walk:
    """Down one model, with what the overrides say so far."""

    def __init__(self, policy: Policy, used: set[str]) -> None:
        self.policy = policy
        self.used = used

    def of(self, model: nn.Module, root: str) -> Iterator[Site]:
        yield from self._down(model, _Place(path=root, around=self.policy))

    def _down(self, module: nn.Module, place: _Place) -> Iterator[Site]:
        policy, exactly = self._overridden(place.around, place.path, type(module))
        cell = _cell(policy)
        pattern = declared_float32(module, cell.param)
        if pattern:
            place = replace(place, declared={**place.declared, place.path: pattern})
        keep = _kept(module, place, cell.param, exactly=exactly)
        if any(reason.always for reason in keep.values()):
            cell = _of_codes(module, cell)
        site = Site(
            path=place.path,
            module=module,
            parent=place.parent,
            listed=place.listed,
            cell=cell,
            output=torch_dtype(policy.output_dtype),
            keep=keep,
        )
        yield site
        container = is_container(module)
        around = replace(policy, output_dtype=None, overrides=())
        inside = replace(
            place,
            around=around,
            parent=place.parent if container else site,
            listed=container,
        )
        adapting = adapters(module)
        # a module under two names counts twice: both may be named
        for name, child in module._modules.items():
            if child is not None:
                adapter = place.adapter or name in adapting
                path = _below(module, place.path, name)
                own = replace(inside, path=path, adapter=adapter)
                yield from self._down(child, own)

    def _overridden(self, around: Policy, path: str, kind: type) -> tuple[Policy, bool]:
        """Return the policy of a module, and whether an override applies to itself rather than only to its contents."""
        named = [
            (pattern, override)
            for pattern, override in self.policy.overrides
            if names(pattern, path, kind)
        ]
        self.used.update(pattern for pattern, _ in named)
        for _, override in named:
            own = {field: getattr(override, field) for field in DTYPES}
            around = replace(around, **{f: dtype for f, dtype in own.items() if dtype})
        return around, any(not pattern.endswith("**") for pattern, _ in named)


def is_container(module: nn.Module) -> bool:
    """Check whether a module only holds others and is never called, as ModuleList."""
    return type(module).forward is nn.Module.forward


def _cell(policy: Policy) -> Cell:
    param = torch_dtype(policy.param_dtype)
    return Cell(
        param=param,
        compute=torch_dtype(policy.compute_dtype) or param,
        buffer=torch_dtype(policy.buffer_dtype) or param,
    )


def _of_codes(module: nn.Module, around: Cell) -> Cell:
    """Return the cell of a quantized module: its own dtype, if it has one; outputs are again as in the region around.

    In an autocast region there is nothing to change: autocast casts for it as for any other. Nor is there where all of
    its scales have the dtype of what is around.
    """
    if around.compute is None or around.compute != around.param:
        return around
    own = computes_in(module)
    floats = {
        tensor.dtype for tensor in own_tensors(module).values() if is_number(tensor)
    }
    return around if {own, *floats} <= {None, around.compute} else Cell(compute=own)


def _below(module: nn.Module, path: str, name: str) -> str:
    """Return the path of a child: of the model itself, where the module is a wrapper of it."""
    if _WRAPPERS.get(type(module).__name__) == name:
        return path
    return f"{path}.{name}".lstrip(".")


def _kept(
    module: nn.Module, place: _Place, target: torch.dtype | None, *, exactly: bool
) -> Mapping[str, Keep]:
    keep = dict(kept(module, target, _declared(module, place.path, place.declared)))
    # codes and scales are no weights, whoever names them
    if any(reason.always for reason in keep.values()):
        return keep
    if exactly:  # who names a module means it
        return {}
    if place.adapter and target is not None:
        return {
            name: Keep("an adapter") for name in (*module._parameters, *module._buffers)
        }
    return keep


def _declared(
    module: nn.Module, path: str, declared: Mapping[str, re.Pattern[str]]
) -> frozenset[str]:
    found = set()
    for model, pattern in declared.items():
        for name in (*module._parameters, *module._buffers):
            full = f"{path}.{name}" if path else name
            if pattern.search(full.removeprefix(f"{model}.") if model else full):
                found.add(name)
    return frozenset(found)
