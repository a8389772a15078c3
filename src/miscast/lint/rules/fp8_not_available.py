"""float8 training is asked of a machine, or a set-up, that has none.

## What
`mixed_precision: fp8` without CUDA, on a GPU before Ada and Hopper, or without a word on its backend; axolotl's and
LLaMA-Factory's `fp8` likewise.

## Why
Products in float8 need compute capability 8.9. accelerate then falls back to float16 with a warning; axolotl and
SimpleTuner refuse. accelerate's fp8 needs TransformerEngine, torchao or MS-AMP.

## Example
    mixed_precision: fp8                                 # --machine a100

## Use instead
    mixed_precision: bf16

## Fix safety
Safe: bfloat16 holds every float8 number.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ..conflict import replaced, tell
from ..run import Run
from ..system import Setting

_FALLBACK = "silent: accelerate warns and trains in fp16 instead, with float16's range"
_NONE = "ValueError: Using `fp8` precision requires `transformer_engine` or `MS-AMP` to be installed."
_EFFECTS = {
    "accelerate": _FALLBACK,
    "environment": _FALLBACK,
    "axolotl": "ValueError: fp8 requested, but fp8 is not supported on this GPU",
    "llamafactory": _FALLBACK,
    "simpletuner": "ValueError: fp8 needs CUDA (torch._scaled_mm, compute capability 8.9)",
}


def find(run: Run) -> Iterator[Finding]:
    """fp8 that the machine lacks, and fp8 without a backend."""
    for view in run.views:
        setting = _fp8(view.given("mixed_precision") if "mixed_precision" in view.system.by_name else None)
        setting = setting or _fp8(
            view.given("ACCELERATE_MIXED_PRECISION") if view.system.name == "environment" else None
        )
        if "fp8" in view.system.by_name and view.on("fp8"):
            setting = view.given("fp8")
        if setting is None:
            continue
        machine = run.machine
        if machine is not None and machine.support("float8_e4m3fn") != "native":
            effect = _EFFECTS.get(view.system.name, _FALLBACK)
            if machine.device != "cuda" and view.system.name == "accelerate":
                effect = _NONE
            yield _told(setting, f"fp8 is asked for on {machine.name}, which has no float8 products", effect)
        elif (
            view.system.name == "accelerate" and not view.below("fp8_config.") and not view.given("fp8_config.backend")
        ):
            yield _told(
                setting,
                "fp8 is asked for without a backend (fp8_config.backend)",
                f"{_NONE} If one is installed, it is taken, whichever it is.",
                "warning",
            )


def _fp8(setting: Setting | None) -> Setting | None:
    return setting if setting is not None and setting.value == "fp8" else None


def _told(setting: Setting, message: str, effect: str, severity: str = "error") -> Finding:
    edit = None
    if setting.value == "fp8" and setting.entry.text in ("fp8", "'fp8'", '"fp8"'):
        edit = replaced(setting.entry.at, setting.entry.text.replace("fp8", "bf16"))
    title = "name it: fp8_config.backend: TE, AO or MSAMP" if severity == "warning" else "use bf16"
    safe = edit is not None and severity == "error"
    return tell(
        "fp8-not-available",
        message,
        [setting],
        effect=effect,
        severity="warning" if severity == "warning" else "error",
        fixes=(Fix(title=title, safe=safe, edits=(edit,) if edit and safe else ()),),
    )
