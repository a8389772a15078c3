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
from ..setting import Place, named_dtype
from ..system import Setting
from ..view import View

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
    inference = run.view("llamafactory").given("infer_dtype")
    for setting in (*_in_code(run.view("torch")), *([inference] if inference else [])):
        dtype = named_dtype(setting.value)
        support = machine.support(dtype) if dtype else "native"
        if support in _WHY and setting.entry.at not in told:
            told.add(setting.entry.at)
            yield _told(setting, dtype, support, machine, setting.name)
    for part in run.table:
        for aspect in _ASPECTS:
            cell = getattr(part, aspect)
            support = machine.support(cell.value)
            if cell.by is None or support not in _WHY or cell.by.entry.at in told or cell.value == "tf32":
                continue
            told.add(cell.by.entry.at)
            yield _told(cell.by, cell.value, support, machine, f"{part.name}, {aspect}")


def _in_code(library: View) -> Iterator[Setting]:
    """The dtypes that calls ask for: of loading, of a quantized base, of autocast."""
    for document in library.documents:
        view = View(library.system, (document,))
        for key in ("dtype", "bnb_4bit_compute_dtype", "param_dtype"):
            if (setting := view.given(key)) is not None:
                yield setting


def _told(setting: Setting, dtype: str, support: str, machine: Machine, where: str) -> Finding:
    return tell(
        "setting-not-on-machine",
        _WHY[support].format(dtype=dtype, machine=machine.name) + f" ({where})",
        [setting],
        severity="error" if support == "missing" else "warning",
        effect=_EFFECT[support],
        fixes=_fixes(dtype, machine),
    )


def _fixes(dtype: str, machine: Machine) -> tuple[Fix, ...]:
    if dtype == "bfloat16" and machine.support("float16") == "native":
        return (Fix(title="fp16 with a grad scaler (largest value: 65504), or float32 with twice the memory"),)
    return (Fix(title="float32"),)
