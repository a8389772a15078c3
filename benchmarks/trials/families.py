"""The family that an op of torch's database belongs to: the file of Miscast's contracts that speaks of it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import torch

from miscast.torch_facts import contracts

OTHER = "other"
# What functions that are written in Python call.
_CALLS = {
    "nn.functional.cross_entropy": "cross_entropy_loss",
    "nn.functional.nll_loss": "nll_loss",
    "nn.functional.multi_head_attention_forward": "scaled_dot_product_attention",
    "nn.functional.interpolate": "upsample_nearest2d",
    "nn.functional.upsample": "upsample_nearest2d",
    "nn.functional.gaussian_nll_loss": "mse_loss",
    "nn.functional.triplet_margin_with_distance_loss": "triplet_margin_loss",
    "nn.functional.linear_cross_entropy": "cross_entropy_loss",
    "nn.functional.local_response_norm": "batch_norm",
    "nn.functional.rms_norm": "layer_norm",
}


@cache
def _families() -> Mapping[str, str]:
    found = {}
    for module in pkgutil.iter_modules(contracts.__path__):
        for contract in getattr(importlib.import_module(f"{contracts.__name__}.{module.name}"), "CONTRACTS", ()):
            found.update({op.split(".")[1]: module.name for op in contract.ops})
    return found


def family(info: Any) -> str:
    """The name of the contracts' file, "promotion" for ops that work elementwise, or "other"."""
    names = list(_names(info))
    for name in names:
        if name in _families():
            return _families()[name]
    return "promotion" if any(map(_elementwise, names)) else OTHER


def _names(info: Any) -> Iterator[str]:
    """The ATen ops that an entry of the database may stand for."""
    if info.name in _CALLS:
        yield _CALLS[info.name]
    spaces = ("nn.functional.", "_refs.", "masked.", "_native_")
    plain = info.name
    for space in spaces:
        plain = plain.removeprefix(space)
    for name in (plain, info.aten_name, *(alias.name for alias in info.aliases)):
        if name:
            yield name.replace(".", "_")
            yield name.rpartition(".")[2]


def _elementwise(name: str) -> bool:
    packet = getattr(torch.ops.aten, name, None)
    return packet is not None and any(torch.Tag.pointwise in getattr(packet, o).tags for o in packet.overloads())
