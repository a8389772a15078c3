"""Contradictions of sd-scripts' options."""

from __future__ import annotations

from ...conflict import Conflict, When, both
from ...messages import KEEP_ONE_HALF
from ...run import Run
from ...view import View
from .. import accelerate
from . import is_model, own_script


def _float8_without_autocast(flag: str) -> When:
    def when(view: View, _: Run) -> bool:
        known = view.given("mixed_precision") or not view.commanded or own_script(view)
        return bool(known) and view.on(flag) and view.at("mixed_precision", "no")

    return when


def _full_without_mixed(half: str) -> When:
    def when(view: View, _: Run) -> bool:
        overruled = half == "bf16" and view.on("full_fp16")
        return view.on(f"full_{half}") and not overruled and view.text("mixed_precision") not in ("", half)

    return when


def _anima(flag: str) -> When:
    return lambda view, _: view.on(flag) and is_model(view, "anima")


CONFLICTS = (
    accelerate.FLOAT16_ON_CPU,
    Conflict(
        rule="both-half-dtypes", severity="warning", keys=("full_bf16", "full_fp16"),
        when=both("full_fp16", "full_bf16"), says="full_fp16 and full_bf16 are both on, and full_bf16 is ignored",
        effect="silent: the code tests full_fp16 first, and trains in float16", help=KEEP_ONE_HALF,
        source="sd-scripts train_network.py: if args.full_fp16 … elif args.full_bf16",
    ),
    Conflict(
        rule="deepspeed-with-mixed-precision", severity="warning", keys=("deepspeed", "mixed_precision"),
        when=lambda s, _: (
            s.on("deepspeed")
            and any(s.at("mixed_precision", half) and s.off(f"full_{half}") for half in ("bf16", "fp16"))
        ),
        says="deepspeed with mixed_precision {1}",
        effect="RuntimeError: mat1 and mat2 must have the same dtype, but got Float and BFloat16 (inputs stay float32, "
        "the engine's weights are half precision)",
        help="switch full_bf16 (full_fp16) on, or deepspeed off",
        source="sd-scripts library/deepspeed_utils.py, issues on DeepSpeed and mixed precision",
    ),
    *(
        Conflict(
            rule="fp8-base-without-mixed", keys=(flag, "mixed_precision"), when=_float8_without_autocast(flag),
            says=f"{flag} is on, mixed_precision is {{1}}",
            effect="AssertionError: fp8_base requires mixed precision='fp16' or 'bf16'",
            help='set mixed_precision = "bf16" (Ampere and later) or "fp16"', source="sd-scripts train_network.py",
        )
        for flag in ("fp8_base", "fp8_base_unet")
    ),
    *(
        Conflict(
            rule="full-half-without-mixed", keys=(f"full_{half}", "mixed_precision"), when=_full_without_mixed(half),
            says=f"full_{half} is on, mixed_precision is {{1}}",
            effect=f"AssertionError: full_{half} requires mixed precision='{half}'",
            help=f'set mixed_precision = "{half}"',
            source="sd-scripts train_network.py, sdxl_train.py: assert args.mixed_precision == …",
        )
        for half in ("fp16", "bf16")
    ),
    *(
        Conflict(
            rule="setting-has-no-effect", severity="warning", keys=(flag,), when=_anima(flag),
            says=f"{flag} has no effect for Anima", effect="silent: fp8_base is not supported, and is reset to False",
            help=f"drop {flag}", source="sd-scripts anima_train_network.py assert_extra_args",
        )
        for flag in ("fp8_base", "fp8_base_unet")
    ),
    Conflict(
        rule="vae-overflows-in-float16", severity="warning", keys=("mixed_precision",),
        when=lambda s, _: (
            s.at("mixed_precision", "fp16") and s.off("no_half_vae") and is_model(s, "sdxl") and s.given("vae") is None
        ),
        says="SDXL's VAE in fp16: no_half_vae is off",
        effect="RuntimeError: NaN detected in latents; or silent: NaN latents in the cache",
        help="give --no_half_vae, or --vae with the repaired VAE",
        source="sd-scripts library/sdxl_train_util.py, docs/train_SDXL-en.md",
    ),
)
