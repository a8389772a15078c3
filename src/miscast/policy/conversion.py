"""Parameters and buffers to a policy's dtypes, in place: optimizers, tied weights and hooks keep what they hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import torch
from torch import nn

from .boundary import Original
from .fields import PolicyError
from .kept import Kept
from .regions import Site
from .torch_dtypes import dtype_name
from .wrapped import refuse_wrapped

Targets = dict[int, tuple[torch.dtype, torch.device]]
"""The new dtype and device of each tensor, by `id`."""


def convert(
    sites: Iterable[Site], device: torch.device | None
) -> tuple[tuple[Original, ...], tuple[Kept, ...]]:
    """Convert each tensor once; what each was before, and what the policy would have converted but was kept.

    Raises PolicyError, before anything is converted, where a tied parameter would need two dtypes.
    """
    known = list(sites)
    wanted: dict[int, tuple[str, torch.dtype]] = {}
    originals: list[Original] = []
    kept: list[Kept] = []
    changes: dict[int, nn.Module] = {}
    targets: Targets = {}
    changed: list[tuple[str, torch.Tensor]] = []
    for site in known:
        for name, tensor, wish in _tensors(site):
            path = f"{site.path}.{name}".lstrip(".")
            other, dtype = wanted.setdefault(id(tensor), (path, wish))
            if dtype != wish:
                raise PolicyError(
                    f"{other} and {path} share a tensor, but the policy stores it in {dtype_name(dtype)} and "
                    f"{dtype_name(wish)}: give both the same override"
                )
            keep = site.keep.get(name)
            if keep is not None and _wish(site, name, keep=False) != wish:
                kept.append(Kept(path=path, dtype=dtype_name(wish), reason=keep.reason))
            place = tensor.device
            if device is not None and tensor.device.type != "meta":
                place = device
            if (tensor.dtype, tensor.device) != (wish, place):
                originals.append(
                    Original(site.module, name, tensor.dtype, tensor.device)
                )
                changes[id(site.module)] = site.module
                changed.append((path, tensor))
                targets[id(tensor)] = (wish, place)
                if tensor.grad is not None:
                    targets[id(tensor.grad)] = (wish, place)
    refuse_wrapped(changed)
    _converted(changes.values(), targets)
    return tuple(originals), tuple(kept)


def restore(originals: Iterable[Original]) -> None:
    """Restore dtypes and devices. Values that a narrower dtype rounded stay rounded."""
    targets: Targets = {}
    changed: list[tuple[str, torch.Tensor]] = []
    changes: dict[int, nn.Module] = {}
    for original in originals:
        tensor = {**original.module._parameters, **original.module._buffers}.get(
            original.name
        )
        if tensor is not None and tensor.device.type != "meta":
            changes[id(original.module)] = original.module
            if (tensor.dtype, tensor.device) != (original.dtype, original.device):
                changed.append(
                    (f"{type(original.module).__name__}.{original.name}", tensor)
                )
            targets[id(tensor)] = (original.dtype, original.device)
            if tensor.grad is not None:
                targets[id(tensor.grad)] = (original.dtype, original.device)
    refuse_wrapped(changed)
    _converted(changes.values(), targets)


def _converted(
    modules: Iterable[nn.Module],
    targets: Mapping[int, tuple[torch.dtype, torch.device]],
) -> None:
    def fn(tensor: torch.Tensor) -> torch.Tensor:
        dtype, device = targets.get(id(tensor), (tensor.dtype, tensor.device))
        if (tensor.dtype, tensor.device) == (dtype, device):
            return tensor
        # quantized tensors move, and do not know what a dtype would mean
        if tensor.dtype == dtype:
            return tensor.to(device=device)
        return tensor.to(device=device, dtype=dtype)

    for module in modules:
        # what Module.to does, for one module: there is no public name for that
        module._apply(fn, recurse=False)


def _tensors(site: Site) -> Iterable[tuple[str, torch.Tensor, torch.dtype]]:
    for name, tensor in {**site.module._parameters, **site.module._buffers}.items():
        if tensor is not None:
            if hasattr(tensor, "device_mesh"):
                raise PolicyError(
                    f"{site.path}.{name} is already sharded: apply the policy before wrapping the model"
                )
            wish = _wish(site, name, keep=True) or tensor.dtype
            yield name, tensor, wish if tensor.is_floating_point() else tensor.dtype


def _wish(site: Site, name: str, *, keep: bool) -> torch.dtype | None:
    kept = site.keep.get(name) if keep else None
    if kept is not None:
        return kept.dtype
    return site.cell.param if name in site.module._parameters else site.cell.buffer
