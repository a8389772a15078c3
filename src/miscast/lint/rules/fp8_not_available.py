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

from ..conflict import Conflict
from ..contradiction import Contradiction, replaced
from ..deciding import on
from ..run import FLOAT8, Run
from ..system import Setting
from ..systems import onetrainer
from ..view import View

_NONE = "ValueError: Using `fp8` precision requires `transformer_engine` or `MS-AMP` to be installed."
_UNLESS_INSTALLED = f"silent, bfloat16 autocast without float8, where torchao is installed; else {_NONE}"
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
            s.on("fp8_enable_fsdp_float8_all_gather")
            and s.text("fp8_config.recipe") not in ("", "tensorwise")
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
            run.lacks(*FLOAT8)
            and "float8" in s.text("model.converters.0")
            and not s.on("quantize.linear.float8.emulate")
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
        when=lambda s, run: (
            run.lacks(*FLOAT8)
            and s.at("precision", "transformer-engine", "transformer-engine-float16")
        ),
        says="precision {0} on a machine without float8 products",
        effect="AssertionError of TransformerEngine: Device compute capability 8.9 or higher required for FP8",
        help="use bf16-mixed or bf16-true",
        source="lightning/fabric/plugins/precision/transformer_engine.py, 2.6.6",
    ),
    Conflict(
        system="composer",
        keys=("precision",),
        when=lambda s, run: run.lacks(*FLOAT8) and s.at("precision", "amp_fp8"),
        says="precision {0} on a machine without float8 products",
        effect="RuntimeError: AMP_FP8 precision is used but current device does not support it.",
        help="use amp_bf16",
        source="composer/core/precision.py get_precision_context, 0.33",
    ),
    Conflict(
        system="megatron",
        keys=("fp8_format",),
        when=lambda s, run: run.lacks(*FLOAT8) and s.given("fp8_format") is not None,
        says="fp8_format {0} on a machine without float8 products",
        effect="AssertionError of TransformerEngine: Device compute capability 8.9 or higher required for FP8",
        help="drop fp8_format",
        source="transformer_engine/pytorch/fp8.py check_fp8_support",
    ),
)


def find(run: Run) -> Iterator[Contradiction]:
    """fp8 that the machine lacks, and fp8 without a backend."""
    for view in run.views:
        setting = _asked(view)
        if setting is not None and run.lacks(*FLOAT8):
            yield _missing(setting, view, run)
        elif (
            setting is not None
            and "fp8_config.backend" in view.system.by_name
            and not _has_backend(view)
        ):
            yield Contradiction(
                says="fp8 is asked for without a backend (fp8_config.backend)",
                settings=(setting,),
                effect=f"{_NONE} If one is installed, it is taken, whichever it is.",
                severity="warning",
                help="name it: fp8_config.backend: TE, AO or MSAMP",
            )
    yield from _scaled(run)


def _scaled(run: Run) -> Iterator[Contradiction]:
    """A part of OneTrainer's whose linear layers multiply in float8."""
    view = run.view("onetrainer")
    if not view or not run.lacks(*FLOAT8):
        return
    for part in onetrainer.parts(view):
        if part.dtype.startswith("FLOAT_W8A8"):
            yield Contradiction(
                says=f"{part.name} is {part.dtype} on a machine without float8 products",
                settings=(part.by,),
                otherwise=view.place,
                effect="RuntimeError: torch._scaled_mm is only supported on CUDA devices with compute capability "
                ">= 9.0 or 8.9, or ROCm MI300+",
                help=f'set {part.name}.weight_dtype to "FLOAT_8", which is only stored, or to "INT_W8A8"',
            )


def _asked(view: View) -> Setting | None:
    named = view.entry("mixed_precision", "ACCELERATE_MIXED_PRECISION")
    return on(view, "fp8") or (
        named if named is not None and named.value == "fp8" else None
    )


def _has_backend(view: View) -> bool:
    """Whether something says what computes in fp8: a plugin of DeepSpeed's may bring MS-AMP."""
    places = ("fp8_config.", "kwargs_handlers", "deepspeed_plugin")
    given = view.given("fp8_config.backend") is not None
    return given or any(map(view.below, places))


def _missing(setting: Setting, view: View, run: Run) -> Contradiction:
    written = setting.entry.text
    edit = (
        replaced(setting, written.replace("fp8", "bf16"))
        if written in ("fp8", "'fp8'", '"fp8"')
        else None
    )
    choosing = "fp8_config.backend" in view.system.by_name and run.off_device("cuda")
    return Contradiction(
        says=f"fp8 is asked for on {run.machine.name if run.machine else ''}, which has no float8 products",
        settings=(setting,),
        effect=_UNLESS_INSTALLED if choosing else view.system.facts.fp8_missing,
        help="use bf16",
        edit=edit if setting.value == "fp8" else None,
    )
