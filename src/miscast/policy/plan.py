"""Plan a program's boundaries: at components, at their doors, and where a policy changes inside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import filterfalse

import torch
from torch import nn

from .boundary import Anchor, Boundary, Running
from .fields import PolicyError
from .regions import Cell, Site, is_container
from .torch_dtypes import dtype_name

_AUTOCAST = (torch.float16, torch.bfloat16)
_MODELS = frozenset({
    "PreTrainedModel", "ModelMixin", "PeftModel", "BaseTuner", "DistributedDataParallel",
})  # fmt: skip
"""Classes of whole models (transformers, diffusers, peft, torch): the parts of an inner one can be called, too."""
_CASTABLE = (*_AUTOCAST, torch.float32)
"""The dtypes that autocast casts from. It skips float64."""


@dataclass(frozen=True, slots=True)
class Region:
    """Settings in effect while modules of one cell run."""

    entry: torch.dtype | None
    """The dtype that floats must enter in. None means any."""
    autocast: torch.dtype | None


def planned(sites: Iterable[Site]) -> list[tuple[Site, Boundary]]:
    """Return the boundaries of a program.

    Raises PolicyError where parameters and computation cannot be brought together.
    """
    known = list(sites)
    regions = _regions(known)
    fed = {
        id(above.module)
        for site in known
        if _converted_parameter(site)
        for above in _upwards(site)
    }
    places, stored = _places(known), _stored(known)
    running: dict[int, Running] = {}
    found = []
    for site in known:
        if is_container(site.module):
            continue
        boundary = _boundary(site, regions) or (
            _door(site, regions) if id(site.module) in fed else None
        )
        if boundary is not None:
            boundary.running = running.setdefault(id(site.component.module), Running())
            boundary.place = places.get(id(site.module))
            if boundary.entry == site.cell.param:
                boundary.inside = stored.get(id(site.module))
            boundary.outside = _anchor_outside(site, boundary.output, stored)
            found.append((site, boundary))
    return found


def _door(site: Site, regions: Mapping[Cell, Region]) -> Boundary | None:
    if not _is_door(site):
        return None
    region = regions[site.cell]
    return Boundary(
        entry=region.entry, output=None, autocast=region.autocast, door=True
    )


def _anchor_outside(
    site: Site, output: torch.dtype | None, stored: Mapping[int, Anchor]
) -> Anchor | None:
    """Return the anchor for the dtype of outputs that go back to the enclosing module."""
    around = site.parent
    back = around is not None and site.output is None and output == around.cell.param
    return stored.get(id(around.module)) if around is not None and back else None


def _is_door(site: Site) -> bool:
    """Check whether people call this part of a component by itself.

    `unet.time_embedding(t)`, or in `vae.decode(latents)`.
    """
    around = site.parent
    if around is None or site.listed or isinstance(around.module, nn.Sequential):
        return False
    # nobody calls a norm, and what overflows half may come to it
    if "norm" in type(site.module).__name__.lower():
        return False
    while around.parent is not None:
        if not any(kind.__name__ in _MODELS for kind in type(around.module).__mro__):
            return False
        around = around.parent
    return True


def _boundary(site: Site, regions: Mapping[Cell, Region]) -> Boundary | None:
    region = regions[site.cell]
    output, autocast = site.output, region.autocast
    if site.parent is not None:
        around = regions[site.parent.cell]
        if region == around or (autocast and autocast == around.autocast):
            if output is None:
                return None
            autocast = None
        else:
            off, casts = (torch.float32, _CASTABLE) if around.autocast else (None, ())
            autocast = autocast or off
            # by autocast as it is
            if region.entry not in (around.entry, *casts):
                output = output or around.entry
    return Boundary(entry=region.entry, output=output, autocast=autocast)


def _regions(sites: Iterable[Site]) -> dict[Cell, Region]:
    stored: dict[Cell, dict[torch.dtype, str]] = {}
    for site in sites:
        dtypes = stored.setdefault(site.cell, {})
        for name, tensor in _converted_parameters(site):
            dtypes.setdefault(
                site.cell.param or tensor.dtype, f"{site.path}.{name}".lstrip(".")
            )
    return {cell: _region(cell, dtypes) for cell, dtypes in stored.items()}


def _region(cell: Cell, stored: Mapping[torch.dtype, str]) -> Region:
    compute = cell.compute
    if compute is None or _needs_no_autocast(cell, stored):
        return Region(compute, None)
    others = [dtype for dtype in stored if dtype != compute]
    casts = _CASTABLE if compute in _AUTOCAST else ()
    refused = [*filterfalse(casts.__contains__, others)]
    refused.sort(key=_CASTABLE.__contains__)  # what no autocast takes comes first
    if refused:
        raise PolicyError(
            f"compute_dtype {dtype_name(compute)} over parameters in {dtype_name(refused[0])} ({stored[refused[0]]}): "
            "autocast can only run float32, float16 and bfloat16 parameters in float16 or bfloat16; store them in "
            f"{dtype_name(compute)}"
        )
    return Region(
        cell.param or (others[0] if len(stored) == 1 else torch.float32), compute
    )


def _needs_no_autocast(cell: Cell, stored: Mapping[torch.dtype, str]) -> bool:
    """Check whether casting inputs is enough: parameters have the compute dtype, or there are none."""
    if stored:
        return set(stored) == {cell.compute}
    return cell.param in (None, cell.compute) or cell.compute not in _AUTOCAST


def _converted_parameters(site: Site) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield a module's own parameters that a policy converts: those for which the inputs' dtype matters."""
    for name, tensor in site.module._parameters.items():
        if tensor is not None and tensor.is_floating_point() and name not in site.keep:
            yield name, tensor


def _converted_parameter(site: Site) -> str | None:
    return next((name for name, _ in _converted_parameters(site)), None)


def _upwards(site: Site | None) -> Iterator[Site]:
    """Yield a module and those around it."""
    while site is not None:
        yield site
        site = site.parent


def _places(sites: list[Site]) -> dict[int, Anchor]:
    """Return, for each module, the parameter that gives its device: its first, else the enclosing module's."""
    found: dict[int, Anchor] = {}
    for site in sites:
        own = site.module._parameters.items()
        names = [name for name, tensor in own if tensor is not None]
        for above in _upwards(site) if names else ():
            found.setdefault(id(above.module), Anchor(site.module, names[0]))
    for site in sites:
        if site.parent is not None and id(site.parent.module) in found:
            found.setdefault(id(site.module), found[id(site.parent.module)])
    return found


def _stored(sites: Iterable[Site]) -> dict[int, Anchor]:
    """Return, for each module, the first parameter converted with it, its own or of an inner module."""
    found: dict[int, Anchor] = {}
    for site in sites:
        name = _converted_parameter(site)
        for above in _upwards(site) if name is not None else ():
            if above.cell != site.cell:
                break
            found.setdefault(id(above.module), Anchor(site.module, str(name)))
    return found
