"""The machine of a program that was started without one: as the program's own text names devices.

    a100   what names CUDA, or leaves the choice to libraries: they take a GPU where there is one
    m2     what names MPS and not CUDA;  ascend910b  what names NPU and not CUDA;  max1550  what names XPU and not CUDA

A GPU changes nothing for a program that uses none: its tensors on the CPU are judged as on any machine.
"""

from __future__ import annotations

import re

from ..syntax import text_of

_MOST = 1 << 20  # characters of a source that are looked at
_KINDS = (("npu", "ascend910b"), ("mps", "m2"), ("xpu", "max1550"))
USUAL = "a100"


def inferred(target: str) -> str:
    """Return the name of a machine for a script, read but not run."""
    text = text_of(target, _MOST)
    for kind, name in () if _names(text, "cuda") else _KINDS:
        if _names(text, kind):
            return name
    return USUAL


def _names(text: str, kind: str) -> bool:
    return re.search(rf"\b{kind}\b", text) is not None
