"""GGUF: the header of a file tells names, types and shapes; large tensors are zeros, neither read nor dequantized.

The `gguf` package maps the file; whatever copies a tensor of it (`np.copy`, `dequantize`) would read all of its bytes.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ....running.process.patching import Patch, around
from ...provenance.on_behalf import theirs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from ...machine import VirtualMachine

_SMALL = 1 << 20
"""Bytes up to which a tensor is what the file says: norms, tables, what may be looked at."""


def _reader(vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    def made(original: Any, self: Any, *args: Any, **kwargs: Any) -> None:
        theirs(original, self, *args, **kwargs)
        # who writes into the file means its bytes
        if getattr(self.data, "mode", "r") == "r":
            self.tensors = [
                t._replace(data=_zeros(t.data)) if t.n_bytes > _SMALL else t
                for t in self.tensors
            ]

    yield around(module.GGUFReader, "__init__", made)


def _zeros(data: Any) -> Any:
    """Return zeros of the same size, in memory that the system provides on the first write."""
    import numpy as np

    return np.zeros(data.shape, data.dtype)


def _dequantizing(vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    import numpy as np

    def dequantize(original: Any, data: Any, qtype: Any) -> Any:
        if (
            not isinstance(data, np.ndarray)
            or data.nbytes <= _SMALL
            or qtype.name in ("F32", "F16")
        ):
            return theirs(original, data, qtype)
        shape = data.shape if data.dtype == np.uint8 else data.view(np.uint8).shape
        return np.zeros(
            sys.modules["gguf.quants"].quant_shape_from_byte_shape(shape, qtype),
            np.float32,
        )

    yield around(module, "dequantize", dequantize)


LATER = {"gguf.gguf_reader": _reader, "gguf": _dequantizing}
