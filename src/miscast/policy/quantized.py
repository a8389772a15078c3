"""Modules that hold codes in place of weights: told by what they hold, by names only where that does not show.

A policy leaves such a module whole. Codes are no numbers, and scales belong to them: rounded to half, a scale moves
every weight of its block.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from .torch_dtypes import dtype_name

PACKAGES = (
    "bitsandbytes", "torchao", "auto_gptq", "gptqmodel", "awq", "hqq", "quanto",
    "optimum.quanto", "aqlm", "eetq", "compressed_tensors", "torch.ao.quantization",
    "torch.ao.nn.quantized",
)  # fmt: skip
"""Packages whose layers hold codes that look like weights, or will once the model is on its device."""
_PACKED = frozenset(
    {torch.int8, torch.uint8, torch.int16, torch.uint16, torch.int32, torch.uint32}
)
"""The dtypes that codes are packed in. Models also hold indices and counts, which are int64."""
_NOTES = ("quant_state", "quant_type")
"""Attributes that bitsandbytes and GGUF set on a tensor of codes."""


def quantized(module: nn.Module) -> str | None:
    """Return why a module counts as quantized, by its own tensors or its class: "weight holds int8 codes".

    None if it is not.

    Its children count for themselves.
    """
    tensors = own_tensors(module)
    scaled = any(
        "scale" in name.lower() and tensor.is_floating_point()
        for name, tensor in tensors.items()
    )
    for name, tensor in tensors.items():
        held = _held(tensor, parameter=name in module._parameters, scaled=scaled)
        if held:
            return f"{name} {held}"
    package = next(filter(None, map(package_of, type(module).__mro__)), None)
    return f"a layer of {package}" if package else None


def own_tensors(module: nn.Module) -> dict[str, torch.Tensor]:
    """Return the parameters and buffers of a module itself, by name."""
    return {
        name: t
        for name, t in (*module._parameters.items(), *module._buffers.items())
        if t is not None
    }


def computes_in(module: nn.Module) -> torch.dtype | None:
    """Return the dtype that a quantized module expects: the one that it names, else that of its weight."""
    said = getattr(module, "compute_dtype", None)
    if isinstance(said, torch.dtype):
        return said
    faces = (
        tensor.dtype
        for tensor in own_tensors(module).values()
        if _wraps(tensor) and is_number(tensor)
    )
    return next(faces, None)


def is_number(tensor: torch.Tensor) -> bool:
    """Check whether a tensor holds floats to compute with: those of 8 and 4 bits mean nothing without their scale."""
    return tensor.is_floating_point() and tensor.dtype.itemsize > 1


def package_of(kind: type) -> str | None:
    """Return the package of quantization that a class comes from."""
    return next(
        (name for name in PACKAGES if f"{kind.__module__}.".startswith(f"{name}.")),
        None,
    )


def _held(tensor: torch.Tensor, *, parameter: bool, scaled: bool) -> str | None:
    """Return what makes a tensor one of codes."""
    package = package_of(type(tensor)) or package_of(type(tensor.data))
    if package:
        return f"is {package}'s {type(tensor).__name__}"
    note = next(
        (note for note in _NOTES if getattr(tensor, note, None) is not None), None
    )
    if note:
        return f"has a {note}"
    inner = next(filter(_is_code, _inner(tensor)), None)
    if inner is not None:
        return f"is a {type(tensor).__name__} of {dtype_name(inner.dtype)} codes"
    if _is_code(tensor) and not _are_plain_integers(
        tensor, parameter=parameter, scaled=scaled
    ):
        return f"holds {dtype_name(tensor.dtype)} codes"
    return None


def _are_plain_integers(tensor: torch.Tensor, *, parameter: bool, scaled: bool) -> bool:
    """Return a matrix of integers in a buffer is a mask or a table of indices, unless scales are beside it."""
    return tensor.dtype in _PACKED and (
        tensor.dim() == 0 or not (parameter or (scaled and tensor.dim() > 1))
    )


def _is_code(tensor: torch.Tensor) -> bool:
    return (
        tensor.is_quantized
        or tensor.dtype in _PACKED
        or (tensor.is_floating_point() and not is_number(tensor))
    )


def _wraps(tensor: torch.Tensor) -> bool:
    """Check whether a tensor's class takes ops into its own hands."""
    kind: Any = type(tensor)
    return kind.__torch_dispatch__ is not torch.Tensor.__torch_dispatch__


def _inner(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield the tensors that such a tensor is made of."""
    if not _wraps(tensor):
        return
    wrapped: Any = tensor
    names = tuple(vars(tensor))
    if hasattr(tensor, "__tensor_flatten__"):
        names = wrapped.__tensor_flatten__()[0]
    for name in names:
        part = getattr(tensor, name, None)
        if isinstance(part, torch.Tensor):
            yield part
            yield from _inner(part)
