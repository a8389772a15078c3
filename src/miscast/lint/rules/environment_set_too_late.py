"""A variable is set after what reads it has been loaded.

## What
`os.environ[…] = …` behind `import torch`, for a variable that torch reads once, when it is loaded.

## Why
The value is read then and never again: what is set later changes nothing in this process, only in its children.

## Example
    import torch
    os.environ["PYTORCH_ENABLE_MPS_FALLBACK"] = "1"

## Use instead
    os.environ["PYTORCH_ENABLE_MPS_FALLBACK"] = "1"
    import torch

## Fix safety
Not safe: what was asked for begins to hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..contradiction import Contradiction
from ..run import Run
from ..system import Setting

_READ_ONCE = {
    "PYTORCH_ENABLE_MPS_FALLBACK": "aten/src/ATen/mps/MPSFallback.mm registers the fallback when torch is loaded",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE": "aten/src/ATen/Context.h initializes its float32 precision from it once",
}


def find(run: Run) -> Iterator[Contradiction]:
    """Assignments behind the import, in one file."""
    environment = run.view("environment")
    for name, why in _READ_ONCE.items():
        for setting in filter(_too_late, environment.settings.get(name, ())):
            yield Contradiction(
                says=f"{name} is set after torch was imported, in line {setting.document.loaded}",
                settings=(setting,),
                severity="warning",
                effect=f"silent: it has no effect in this process ({why})",
                help="set it before `import torch`, or in the shell",
            )


def _too_late(setting: Setting) -> bool:
    """A program sets the variable for itself; a function may set it for the processes that it starts."""
    for_itself = not setting.entry.at.code[:1].isspace()
    return for_itself and 0 < setting.document.loaded < setting.entry.at.line
