"""Contradictions of SimpleTuner's options."""

from __future__ import annotations

from collections.abc import Iterator

from ...conflict import Check, Conflict
from ...contradiction import Contradiction, replaced
from ...messages import AVERAGE, SCALER, UNSCALE
from ...run import Run
from ...sharding import sharded
from ...view import View
from . import CUDA_ONLY, QUANTIZED_KEYS, half, quantized, unmodified

_BFLOAT16_OPTIMIZERS = ("adamw_bf16", "adam_bfloat16")
"""The second is the name of 2024."""
_TORCH = ("adam", "adamw")
"""The names of 2024; for torch-adam and torch-adamw, fp32 becomes unmodified (measured on 3.1.6)."""


def _scaled(view: View, run: Run) -> bool:
    """Check whether float16 weights are trained; an optimizer that needs bfloat16 is another rule's."""
    engine = bool(run.view("deepspeed")) or sharded(run) is not None
    named = view.given("optimizer") is not None and not view.at("optimizer", *_BFLOAT16_OPTIMIZERS)
    half16 = view.at("mixed_precision", "fp16") and not quantized(view)
    return half16 and named and not engine and not run.off_device("cuda")


def _not_bfloat16(view: View, run: Run) -> bool:
    # on MPS the weights are bfloat16 whatever is set
    named = view.given("optimizer") is not None and view.text("optimizer") in _BFLOAT16_OPTIMIZERS
    if not named or run.on_device("mps"):
        return False
    if quantized(view):
        return view.at("base_model_default_dtype", "fp32")
    return view.at("mixed_precision", "no", "fp16")


def _average(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield a moving average, which is cloned from half-precision weights."""
    if view.on("use_ema") and view.at("model_type", "full") and half(view):
        yield Contradiction(
            says=f"use_ema averages {half(view)} weights in {half(view)}",
            settings=(view.given("use_ema"), view.given("mixed_precision")), severity="warning", effect=AVERAGE,
            help="set use_ema to false, or average in float32 in code",
        )


def _gradients(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield gradient_precision=fp32 with half-precision parameters."""
    setting, dtype = view.given("gradient_precision"), half(view)
    if setting is None or setting.value != "fp32" or not dtype:
        return
    name = "BFloat16" if dtype == "bfloat16" else "Half"
    adam = f"RuntimeError: expected dtype c10::{name} for `end` but got dtype float (in the step of torch's Adam)"
    other = view.given("optimizer") is not None and view.text("optimizer") not in _TORCH
    if ddp := _accumulates_in_ddp(view, run):
        keys = [_STEPS, "num_processes"]
        effect = (
            f"RuntimeError: Expected {name}, got Float (in backward: the bucket is {dtype}, the accumulated gradient "
            "float32)"
        )
    elif other:
        keys = ["optimizer"]
        effect = (
            "silent: the optimizer is not in SimpleTuner's table, so gradient_precision becomes unmodified; versions "
            f"of 2024 raise {adam}"
        )
    else:
        keys = ["optimizer", _STEPS]
        effect = f"{adam}; with DDP and accumulation: Expected {name}, got Float"
    yield Contradiction(
        says=f"gradient_precision is fp32, the parameters are {dtype}",
        settings=(setting, view.given("mixed_precision"), *map(view.given, keys)),
        severity="warning" if other and not ddp else "error", effect=effect,
        help="set gradient_precision to unmodified",
        edit=replaced(setting, _as_written(setting.entry.text, "unmodified")),
    )


_STEPS = "gradient_accumulation_steps"


def _accumulates_in_ddp(view: View, run: Run) -> bool:
    processes = view.number("num_processes") or run.view("accelerate").number("num_processes") or 1
    return (view.number(_STEPS) or 1) > 1 and processes > 1 and not unmodified(view)


def _as_written(old: str, new: str) -> str:
    return f"{old[0]}{new}{old[0]}" if old[:1] in ('"', "'") else new


def _needs_cuda(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield quantizers that need CUDA, on another machine."""
    for setting in map(view.given, QUANTIZED_KEYS) if run.off_device("cuda") else ():
        if setting is not None and run.machine and str(setting.value) in CUDA_ONLY:
            yield Contradiction(
                says=f"{setting.name} is {setting.value}, which needs CUDA, on {run.machine.name}", settings=(setting,),
                effect=f"argparse: invalid choice: {setting.value!r}: the choice exists only with CUDA",
                help="use int8-quanto or int8-torchao",
            )


def _two_quantizers(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield a component quantized by quanto in a run with another by torchao."""
    given = [setting for key in QUANTIZED_KEYS if (setting := view.given(key))]
    by_library = (
        next((setting for setting in given if str(setting.value).endswith(library)), None)
        for library in ("quanto", "torchao")
    )
    found = sorted(filter(None, by_library), key=lambda setting: setting.entry.at.line)
    if len(found) == 2:
        yield Contradiction(
            says="one component is quantized by quanto, another by torchao", settings=tuple(found),
            effect="ValueError: Cannot mix torchao and quanto precisions",
            help="quantize all components with one of the two",
        )


CONFLICTS = (
    Check(rule="average-in-half", search=_average),
    Check(
        rule="gradient-dtype-unlike-parameters", search=_gradients,
        source="SimpleTuner helpers/training/trainer.py, 3.1.6",
    ),
    Check(rule="quantization-excludes", search=_needs_cuda, source="SimpleTuner helpers/training/__init__.py, 3.1.6"),
    Check(rule="quantizers-mixed", search=_two_quantizers),
    Conflict(
        rule="attention-needs-half", keys=("attention_mechanism", "mixed_precision"),
        when=lambda s, _: (
            s.text("attention_mechanism").startswith(("sageattention", "flash", "native-flash"))
            and s.at("mixed_precision", "no")
        ),
        says="{0} needs half precision, mixed_precision is {1}",
        effect="RuntimeError: No available kernel. Aborting execution. (torch's flash attention), AssertionError: "
        "Input tensors must be in dtype of torch.float16 or torch.bfloat16 (SageAttention)",
        help="set mixed_precision to bf16, or attention_mechanism to diffusers",
        source="sageattention/core.py; ATen/native/transformers/cuda/sdp_utils.cpp",
    ),
    Conflict(
        rule="half-parameters-under-grad-scaler", keys=("mixed_precision",), when=_scaled,
        says="fp16 casts the trained weights to float16, and uses a grad scaler", effect=UNSCALE["float16"],
        help="train in bf16, or without mixed precision",
        source=f"SimpleTuner helpers/training/trainer.py move_models, 3.1.6; {SCALER}",
    ),
    Conflict(
        rule="optimizer-demands-dtype", keys=("optimizer", "mixed_precision", "base_model_default_dtype"),
        when=_not_bfloat16, says="{0} needs bfloat16 parameters, mixed_precision is {1}",
        effect="ValueError: Model is not using bf16 precision, but the optimizer {0} requires it. (or, in versions "
        "without that check, AssertionError: only bfloat 16 is supported.)",
        help="set mixed_precision to bf16, or choose another optimizer: optimi-adamw",
        source="SimpleTuner helpers/configuration/cmd_args.py, optimizers/adamw_bfloat16",
    ),
    Conflict(
        rule="quantization-excludes", keys=("mixed_precision", "base_model_precision"),
        when=lambda s, _: (
            s.at("mixed_precision", "fp8") and quantized(s) and not s.at("base_model_precision", "fp8-torchao")
        ),
        says="mixed_precision fp8 with a base in {1}",
        effect="ValueError: You cannot use --mixed_precision=fp8 with a quantized base model.",
        help="set mixed_precision to bf16, or base_model_precision to no_change or fp8-torchao",
        source="SimpleTuner helpers/configuration/cmd_args.py, 3.1.6",
    ),
    Conflict(
        rule="quantization-excludes", keys=("base_model_precision", "model_type"),
        when=lambda s, _: (
            quantized(s)
            and s.at("model_type", "full")
            and not s.given("controlnet")
            and not s.on("i_know_what_i_am_doing")
        ),
        says="model_type full trains all of a base in {0}",
        effect="SystemExit: 1 (full tuning is not compatible with quantisation)",
        help="set base_model_precision to no_change, or model_type to lora",
        source="SimpleTuner helpers/training/default_settings/safety_check.py, 3.1.6",
    ),
    Conflict(
        rule="vae-overflows-in-float16", keys=("vae_dtype", "model_family"),
        when=lambda s, _: s.at("vae_dtype", "fp16") and s.at("model_family", "sdxl", "kolors"),
        says="the VAE of {1} in fp16",
        effect="ValueError: fp16 is not supported for SDXL's VAE. Please use bf16 or fp32. (older versions continue, "
        "with infinities in the VAE's activations)",
        help="set vae_dtype to bf16 or fp32",
        source="huggingface.co/madebyollin/sdxl-vae-fp16-fix; SimpleTuner helpers/models/common.py, 3.1.6",
    ),
)
