"""A safetensors file without its data: the header of weights that are on a hub, and would take hours to come.

What is loaded of it has a dtype and a shape, and no values.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping
from typing import Any

_KEY = "miscast"


def write(
    path: str,
    tensors: Mapping[str, Mapping[str, Any]],
    metadata: Mapping[str, str] | None,
) -> None:
    """Write a file without data from `tensors`, which maps names to the header's "dtype", "shape", "data_offsets"."""
    header = json.dumps(
        {"__metadata__": {**(metadata or {}), _KEY: "header only"}, **tensors}
    ).encode()
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)


def told(metadata: dict[str, str] | None) -> tuple[dict[str, str] | None, bool]:
    """Return the metadata of a file as its author wrote it, and whether there is no more than its header."""
    if not metadata or _KEY not in metadata:
        return metadata, False
    own = {name: value for name, value in metadata.items() if name != _KEY}
    return own or None, True
