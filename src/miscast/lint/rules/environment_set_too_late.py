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

from ...finding import Finding, Fix
from ..conflict import tell
from ..run import Run

_READ_ONCE = {
    "PYTORCH_ENABLE_MPS_FALLBACK": "aten/src/ATen/mps/MPSFallback.mm registers the fallback when torch is loaded",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE": "aten/src/ATen/Context.h initializes its float32 precision from it once",
}


def find(run: Run) -> Iterator[Finding]:
    """Assignments behind the import, in one file."""
    environment = run.view("environment")
    for name, why in _READ_ONCE.items():
        for setting in environment.settings.get(name, ()):
            loaded = setting.document.loaded
            at = setting.entry.at
            for_itself = not at.code[:1].isspace()  # a function may set it for the processes that it starts
            if for_itself and 0 < loaded < at.line:
                yield tell(
                    "environment-set-too-late",
                    f"{name} is set after torch was imported, in line {loaded}",
                    [setting],
                    severity="warning",
                    effect=f"silent: it has no effect in this process ({why})",
                    fixes=(Fix(title="set it before `import torch`, or in the shell"),),
                )
