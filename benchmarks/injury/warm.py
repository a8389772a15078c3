"""What programs import, imported once, so that each run is a fork that begins at once."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import warnings
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from .program import Program

TIMM = Path(sys.prefix) / "timm"
"""Where `make faults` puts timm and torchvision: beside the other packages, torchvision would be found by all of them,
and its wheel does not load beside a torch for the CPU."""


def warm(programs: Iterable[Program]) -> list[Program]:
    """Import what the programs import, and Miscast; returns the programs whose imports are at hand."""
    warnings.simplefilter("ignore")
    import torch

    torch.set_num_threads(1)
    able = []
    for program in programs:
        try:
            for module, name in program.imports():
                if f"{module}.py" not in program.files:
                    _import(module, name)
        except ImportError as error:
            print(f"{program.name} is left out: {error}", file=sys.stderr)
        else:
            able.append(program)
    for name in ("miscast", "torch._subclasses.fake_tensor", "torch._dynamo", "torch.utils.backend_registration"):
        _whole(name)
    return able


def _import(module: str, name: str) -> None:
    if module.partition(".")[0] == "timm":
        _torchvision()
    found = importlib.import_module(module)
    if name:
        with suppress(AttributeError):
            getattr(found, name)


def _torchvision() -> None:
    """For timm, which needs its Python half: where the compiled half does not load, two ops have to be declared."""
    import torch
    import transformers  # noqa: F401 - it looks for torchvision when it is imported, and must not find it

    if str(TIMM) in sys.path or not TIMM.is_dir():
        return
    sys.path.append(str(TIMM))
    try:
        importlib.import_module("torchvision")
    except RuntimeError:
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        for op in ("nms", "qnms"):
            torch.library.define(f"torchvision::{op}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")


def _whole(package: str) -> None:
    """A package with all its modules: what is imported late would be read anew by each run.

    Without those that belong to another tool, as Lightning: no program here has it.
    """
    found = importlib.import_module(package)
    if package == "miscast":
        for one in pkgutil.walk_packages(found.__path__, "miscast."):
            if not one.name.endswith("__main__") and ".integrations" not in one.name:
                importlib.import_module(one.name)
