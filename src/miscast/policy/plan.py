"""Where a program needs boundaries: at its components, at their doors, and where a policy changes inside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import torch
from torch import nn

from .boundary import Anchor, Boundary, Running, arguments_of
from .fields import PolicyError
from .regions import Cell, Site, is_container
from .torch_dtypes import dtype_name

_AUTOCAST = (torch.float16, torch.bfloat16)
_MODELS = frozenset({"PreTrainedModel", "ModelMixin", "PeftModel", "BaseTuner", "DistributedDataParallel"})
"""Classes of whole models (transformers, diffusers, peft, torch): the parts of an inner one can be called, too."""
_CASTABLE = (*_AUTOCAST, torch.float32)
"""What autocast casts from; float64 it passes by."""


@dataclass(frozen=True, slots=True)
class Region:
    """What holds while modules of one cell run."""

    entry: torch.dtype | None
    """What floats are on entering; None: anything."""
    autocast: torch.dtype | None


def planned(sites: Iterable[Site]) -> list[tuple[Site, Boundary]]:
    """The boundaries of a program. Raises PolicyError where parameters and computation cannot be brought together."""
    known = list(sites)
    regions = _regions(known)
    fed = _fed(known)
    places, stored = _places(known), _stored(known)
    running: dict[int, Running] = {}
    found = []
    for site in known:
        if is_container(site.module):
            continue
        boundary = _boundary(site, regions)
        if boundary is None and _is_door(site) and id(site.module) in fed:
            region = regions[site.cell]
            boundary = _made(site, region.entry, None, region.autocast, door=True)
        if boundary is not None:
            boundary.running = running.setdefault(id(site.component.module), Running())
            boundary.place = places.get(id(site.module))
            if boundary.entry == site.cell.param:
                boundary.inside = stored.get(id(site.module))
            around = site.parent
            if around is not None and site.output is None and boundary.output == around.cell.param:
                boundary.outside = stored.get(id(around.module))
            found.append((site, boundary))
    return found


def _is_door(site: Site) -> bool:
    """Whether people call this part of a component by itself: `unet.time_embedding(t)`, or in `vae.decode(latents)`."""
    around = site.parent
    if around is None or site.listed or isinstance(around.module, nn.Sequential):
        return False
    if "norm" in type(site.module).__name__.lower():  # nobody calls a norm, and what overflows half may come to it
        return False
    while around.parent is not None:
        if not any(kind.__name__ in _MODELS for kind in type(around.module).__mro__):
            return False
        around = around.parent
    return True


def _boundary(site: Site, regions: Mapping[Cell, Region]) -> Boundary | None:
    region = regions[site.cell]
    if site.parent is None:
        return _made(site, region.entry, site.output, region.autocast)
    around = regions[site.parent.cell]
    if region == around or (region.autocast and region.autocast == around.autocast):
        return _made(site, region.entry, site.output, None) if site.output else None
    autocast = region.autocast or (torch.float32 if around.autocast else None)
    back = around.entry if around.entry != region.entry else None
    if around.autocast and region.entry in _CASTABLE:
        back = None  # autocast takes it as it is
    return _made(site, region.entry, site.output or back, autocast if region.autocast != around.autocast else None)


def _made(
    site: Site,
    entry: torch.dtype | None,
    output: torch.dtype | None,
    autocast: torch.dtype | None,
    *,
    door: bool = False,
) -> Boundary:
    return Boundary(entry=entry, output=output, autocast=autocast, arguments=arguments_of(site.module), door=door)


def _regions(sites: Iterable[Site]) -> dict[Cell, Region]:
    stored: dict[Cell, dict[torch.dtype, str]] = {}
    for site in sites:
        dtypes = stored.setdefault(site.cell, {})
        for name, tensor in site.module._parameters.items():
            if tensor is not None and tensor.is_floating_point() and name not in site.keep:
                dtypes.setdefault(site.cell.param or tensor.dtype, f"{site.path}.{name}".lstrip("."))
    return {cell: _region(cell, dtypes) for cell, dtypes in stored.items()}


def _region(cell: Cell, stored: Mapping[torch.dtype, str]) -> Region:
    compute = cell.compute
    others = {dtype: path for dtype, path in stored.items() if dtype != compute}
    if compute is None or (not others and (stored or cell.param in (None, compute))):
        return Region(compute, None)
    entry = cell.param or (next(iter(others)) if len(stored) == 1 else torch.float32)
    odd = next((dtype for dtype in others if dtype not in _CASTABLE), None)
    if not stored and compute not in _AUTOCAST:  # nothing but activations: they are cast
        return Region(compute, None)
    if compute not in _AUTOCAST or odd is not None:
        dtype, path = next(iter(others.items())) if odd is None else (odd, others[odd])
        raise PolicyError(
            f"compute_dtype {dtype_name(compute)} over parameters in {dtype_name(dtype)} ({path}): autocast runs "
            f"float32 and half parameters in float16 or bfloat16 only; store them in {dtype_name(compute)}"
        )
    return Region(entry, compute)


def _fed(sites: Iterable[Site]) -> set[int]:
    """The modules that hold converted parameters, themselves or inside: those that care about their inputs' dtype."""
    found: set[int] = set()
    for site in sites:
        own = site.module._parameters.items()
        if any(tensor is not None and tensor.is_floating_point() and name not in site.keep for name, tensor in own):
            above: Site | None = site
            while above is not None and id(above.module) not in found:
                found.add(id(above.module))
                above = above.parent
    return found


def _places(sites: list[Site]) -> dict[int, Anchor]:
    """For each module the parameter that tells its device: its first, else that of the module around it."""
    found: dict[int, Anchor] = {}
    for site in sites:
        name = next((name for name, tensor in site.module._parameters.items() if tensor is not None), None)
        above: Site | None = site if name is not None else None
        while above is not None and id(above.module) not in found:
            found[id(above.module)] = Anchor(site.module, str(name))
            above = above.parent
    for site in sites:
        if id(site.module) not in found and site.parent is not None and id(site.parent.module) in found:
            found[id(site.module)] = found[id(site.parent.module)]
    return found


def _stored(sites: Iterable[Site]) -> dict[int, Anchor]:
    """For each module the first parameter that is converted with it, its own or of a module inside."""
    found: dict[int, Anchor] = {}
    for site in sites:
        own = site.module._parameters.items()
        name = next((n for n, t in own if t is not None and t.is_floating_point() and n not in site.keep), None)
        above: Site | None = site if name is not None else None
        while above is not None and above.cell == site.cell and id(above.module) not in found:
            found[id(above.module)] = Anchor(site.module, str(name))
            above = above.parent
    return found
