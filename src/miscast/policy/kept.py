"""Classes and parameters that a policy never converts, and the reasons.

Libraries are recognised by the names of their classes, and never imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import nn

from .quantized import own_tensors, quantized

ROTARY = frozenset({"inv_freq", "original_inv_freq", "rope_freqs"})
"""Buffers of frequencies: rounded to half, positions beyond a few hundred fall together."""
STATISTICS = (nn.modules.batchnorm._NormBase,)  # it has no public name
"""Norms with running statistics: kept whole, for torch runs half inputs through float32 norms of this kind."""
_HALF = (torch.float16, torch.bfloat16)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One tensor that a policy would have converted, and was not."""

    path: str
    """`unet.mid_block.norm.weight`."""
    dtype: str
    """The dtype it keeps."""
    reason: str


@dataclass(frozen=True, slots=True)
class Keep:
    """The reason to keep a tensor, in `dtype` or unchanged."""

    reason: str
    dtype: torch.dtype | None = None
    always: bool = False
    """Also where an override names the module itself."""


def kept(
    module: nn.Module, target: torch.dtype | None, declared: frozenset[str]
) -> Iterator[tuple[str, Keep]]:
    """Yield a module's own parameters and buffers that are not converted, although `target` was requested.

    Of a quantized module all of them do, codes and scales, also where no dtype is asked for.
    `declared` holds the names that the model around says to keep in float32.
    """
    own = own_tensors(module)
    codes = quantized(module)
    if codes:
        yield from ((name, Keep(f"quantized: {codes}", always=True)) for name in own)
        return
    for name, tensor in own.items():
        keep = None
        if target is not None and tensor.is_floating_point():
            keep = _keep(module, name, target, declared)
        if keep:
            yield name, keep


def _keep(
    module: nn.Module, name: str, target: torch.dtype, declared: frozenset[str]
) -> Keep | None:
    if (
        isinstance(module, STATISTICS)
        and module.running_mean is not None
        and target in _HALF
    ):
        return Keep("running statistics", torch.float32)
    if name in declared:
        return Keep("the model keeps it in float32", torch.float32)
    return Keep("frequencies of rotary embeddings") if name in ROTARY else None


def declared_float32(
    model: nn.Module, target: torch.dtype | None
) -> re.Pattern[str] | None:
    """Return what names a model class says to keep in float32 under `target`, as its library reads them.

    transformers/modeling_utils.py (5.23): `_keep_in_fp32_modules` for float16, `…_strict` for every half dtype;
    diffusers/models/modeling_utils.py (0.42): `_keep_in_fp32_modules` for every half dtype.
    """
    if target not in _HALF:
        return None
    # the class, not the instance: transformers collects the lists of all parts at the whole
    kind = type(model)
    strict = _listed(kind, "_keep_in_fp32_modules_strict")
    loose = _listed(kind, "_keep_in_fp32_modules")
    diffusers = any(each.__module__.startswith("diffusers.") for each in kind.__mro__)
    names = sorted({*strict, *(loose if diffusers or target == torch.float16 else ())})
    return (
        re.compile("|".join(rf"(?:^|\.){re.escape(name)}(?:\.|$)" for name in names))
        if names
        else None
    )


def adapters(module: nn.Module) -> tuple[str, ...]:
    """Return the children of a peft layer that are adapters.

    They keep the dtype that they are trained in, and peft casts.
    """
    if any(
        each.__name__ == "BaseTunerLayer" and each.__module__.startswith("peft.")
        for each in type(module).__mro__
    ):
        return tuple(getattr(module, "adapter_layer_names", ()))
    return ()


def _listed(kind: type, name: str) -> tuple[str, ...]:
    listed = getattr(kind, name, None)
    if isinstance(listed, (list, tuple, set, frozenset)):
        return tuple(map(str, listed))
    return ()
