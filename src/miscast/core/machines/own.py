"""The GPUs of this computer, as the drivers' files name them: nothing is imported or started for it.

    /proc/driver/nvidia/gpus/0000:41:00.0/information       Model: NVIDIA H100 80GB HBM3          h100
    /sys/class/kfd/kfd/topology/nodes/1/properties          gfx_target_version 90402              mi300x

A model that no machine is named after ("RTX 4080", "RTX 4090 Laptop GPU") is none.
"""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import pairwise

from .machine import Machine

FOLDERS = "MISCAST_GPU_FOLDERS"
"""Names other folders than the drivers' own, for tests: NVIDIA's, a colon, AMD's."""
_FOLDERS = "/proc/driver/nvidia/gpus:/sys/class/kfd/kfd/topology/nodes"
_LESSER = {"ti", "super", "laptop", "mobile", "max", "d"}
"""Words that make another GPU of a model."""


def own(machines: Iterable[Machine]) -> str:
    """Return the spec of this computer's GPUs, "2xh100": of the kind that it has most of; "" where none is known."""
    known = [one for one in machines if one.device == "cuda"]
    nvidia, _, amd = os.environ.get(FOLDERS, _FOLDERS).partition(":")
    models = _found(rf"{nvidia}/*/information", r"(?m)^Model:\s*(.+?)\s*$")
    versions = _found(rf"{amd}/*/properties", r"(?m)^gfx_target_version ([1-9]\d*)$")
    names = [_titled(known, model) for model in models]
    names += [_built(known, int(version)) for version in versions]
    for name, count in Counter(filter(None, names)).most_common(1):
        return name if count == 1 else f"{count}x{name}"
    return ""


def _found(files: str, pattern: str) -> Iterator[str]:
    for file in sorted(glob.glob(files)):
        with suppress(OSError), open(file, encoding="utf-8", errors="replace") as text:
            yield from re.findall(pattern, text.read(1 << 14))


def _titled(known: Iterable[Machine], title: str) -> str:
    """Return the machine with this title, or the one with a name whose words are all in it; most digits win."""
    words = re.findall(r"[a-z0-9]+", title.lower())
    if _LESSER.intersection(words):
        return ""
    told = {*words, *map("".join, pairwise(words))}
    names = {
        name: machine.name
        for machine in known
        for name in (machine.name, *machine.aliases)
        if told.issuperset(name.split("-"))
    }
    exact = (machine.name for machine in known if machine.title == title)
    fullest = max(names, key=lambda name: sum(map(str.isdigit, name)), default="")
    return next(exact, names.get(fullest, ""))


def _built(known: Iterable[Machine], version: int) -> str:
    arch = f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"
    return next((one.name for one in known if one.hip and one.arch == arch), "")
