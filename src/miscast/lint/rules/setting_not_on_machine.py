"""A setting chooses a dtype that the machine lacks or only emulates.

## What
bfloat16 on a V100 or T4, float8 before Ada and Hopper, float64 on Apple's GPUs, as the table of effective precision
has it.

## Why
What is emulated gives right numbers, slowly; libraries with kernels of their own refuse it. What is missing raises.

## Example
    bf16: true                                           # --machine v100

## Use instead
    fp16: true

## Fix safety
Not safe: float16 overflows above 65504; float32 is safe and needs twice the memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...machines import Machine
from ..conflict import tell
from ..run import Run
from ..setting import Place

_WHY = {
    "emulated": "{dtype} is emulated on {machine}",
    "missing": "{dtype} does not exist on {machine}",
}
_EFFECT = {
    "emulated": "right numbers, slow: each op converts to float32 and back; flash attention, Triton "
    "and vLLM refuse it, "
    "and axolotl, torchtune and sd-scripts ask for Ampere",
    "missing": "RuntimeError when the first tensor of it is made",
}
_ASPECTS = ("autocast", "parameters", "compute")


def find(run: Run) -> Iterator[Finding]:
    """Cells of the table that the machine has no hardware for, told once per setting."""
    machine = run.machine
    if machine is None or machine.device == "cpu":
        return
    told: set[Place] = set()
    for part in run.table:
        for aspect in _ASPECTS:
            cell = getattr(part, aspect)
            support = machine.support(cell.value)
            if cell.by is None or support not in _WHY or cell.by.entry.at in told or cell.value == "tf32":
                continue
            told.add(cell.by.entry.at)
            yield tell(
                "setting-not-on-machine",
                _WHY[support].format(dtype=cell.value, machine=machine.name) + f" ({part.name}, {aspect})",
                [cell.by],
                severity="error" if support == "missing" else "warning",
                effect=_EFFECT[support],
                fixes=_fixes(cell.value, machine),
            )


def _fixes(dtype: str, machine: Machine) -> tuple[Fix, ...]:
    if dtype == "bfloat16" and machine.support("float16") == "native":
        return (Fix(title="fp16 with a grad scaler (largest value: 65504), or float32 with twice the memory"),)
    return (Fix(title="float32"),)
