"""float8 training is asked of a machine, or a set-up, that has none.

## What
`mixed_precision: fp8` without CUDA, on a GPU before Ada and Hopper, or without a word on its backend; axolotl's and
LLaMA-Factory's `fp8`, torchtitan's float8 converters, Lightning's TransformerEngine likewise; axolotl's `fp8_config`
without `fp8`.

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
from ..conflict import Conflict, replaced, tell
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


CONFLICTS = (
    Conflict(
        system="axolotl",
        keys=("fp8_config.recipe", "fp8"),
        when=lambda s, _: s.filled("fp8_config.") and s.off("fp8"),
        says="fp8_config without fp8",
        effect="ValueError: `fp8_config` requires `fp8: true`",
        help="set fp8: true, or drop fp8_config",
        source="axolotl/utils/schemas/validation.py check_fp8_config, 0.19.0",
    ),
    Conflict(
        system="axolotl",
        keys=("fp8_enable_fsdp_float8_all_gather", "fp8_config.recipe"),
        when=lambda s, _: (
            s.on("fp8_enable_fsdp_float8_all_gather") and s.text("fp8_config.recipe") not in ("", "tensorwise")
        ),
        says="fp8_enable_fsdp_float8_all_gather with {1} scaling",
        effect="ValueError: `fp8_enable_fsdp_float8_all_gather` only supports the tensorwise `fp8_config.recipe`",
        help="set fp8_config.recipe: tensorwise, or drop the gathering in float8",
        source="axolotl/utils/schemas/validation.py check_fp8_config, 0.19.0",
    ),
    Conflict(
        system="torchtitan",
        keys=("model.converters.0",),
        when=lambda s, run: (
            _lacks(run) and "float8" in s.text("model.converters.0") and not s.on("quantize.linear.float8.emulate")
        ),
        says="the converter {0} on a machine without float8 products",
        effect="ValueError: Failed to swap to Float8Linear because float8 is only supported on NVIDIA SM89 or later, "
        "or AMD gfx942 (MI300) or later.",
        help="drop the converter",
        source="torchtitan/components/quantization/float8.py, 0.3.0",
    ),
    Conflict(
        system="lightning",
        keys=("precision",),
        when=lambda s, run: _lacks(run) and s.at("precision", "transformer-engine", "transformer-engine-float16"),
        says="precision {0} on a machine without float8 products",
        effect="AssertionError of TransformerEngine: Device compute capability 8.9 or higher required for FP8",
        help="use bf16-mixed or bf16-true",
        source="lightning/fabric/plugins/precision/transformer_engine.py, 2.6.6",
    ),
)


def _lacks(run: Run) -> bool:
    machine = run.machine
    return machine is not None and all(machine.support(d) != "native" for d in ("float8_e4m3fn", "float8_e4m3fnuz"))


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
        if machine is not None and _lacks(run):
            effect = _EFFECTS.get(view.system.name, _FALLBACK)
            if machine.device != "cuda" and view.system.name == "accelerate":
                effect = _NONE
            yield _told(setting, f"fp8 is asked for on {machine.name}, which has no float8 products", effect)
        elif (
            view.system.name == "accelerate"
            and not view.below("fp8_config.")
            and not view.given("fp8_config.backend")
            and not view.below("kwargs_handlers")
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
