"""The machine of a program that was started without one: as the program's own text names devices.

    a100     what names CUDA, or leaves the choice to libraries: they take a GPU where there is one
    2xa100   what names "cuda:1"
    m2       what names MPS and not CUDA;  ascend910b  what so names NPU;  max1550  what so names XPU

A GPU changes nothing for a program that uses none: its tensors on the CPU are judged as on any machine.
"""

from __future__ import annotations

import re

from ..syntax import text_of

_MOST = 1 << 20  # characters of a source that are looked at
_KINDS = (("npu", "ascend910b"), ("mps", "m2"), ("xpu", "max1550"))
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*", re.MULTILINE)
USUAL = "a100"


def inferred(target: str) -> str:
    """Return the name of a machine for a script, read but not run."""
    text = _COMMENT.sub("", text_of(target, _MOST))
    kinds = [one for one in (("cuda", USUAL), *_KINDS) if _names(text, one[0])]
    kind, name = (*kinds, ("cuda", USUAL))[0]
    several = 0 if kind == "mps" else max(map(int, _numbers(text, kind)), default=0)
    return f"{several + 1}x{name}" if several else name


def _numbers(text: str, kind: str) -> list[str]:
    """Return the numbers of the devices that a program names itself: `"cuda:1"`, `torch.device("cuda", 1)`."""
    return re.findall(rf"""["']{kind}(?:["'], *|:)(\d\d?)\b""", text)


def _names(text: str, kind: str) -> bool:
    return re.search(rf"\b{kind}\b", text) is not None
