"""Contradictions of axolotl's settings; most are checked by its own schema when it starts."""

from __future__ import annotations

from ....core.frozen import replace
from ...conflict import Conflict
from ...messages import FLASH_ATTENTION, KEEP_ONE_HALF, SCALER, UNSCALE
from ...run import Run
from ...sharding import flattened, has_engine, sharded
from ...view import View
from .. import transformers
from . import flash, mixed, sdpa, weights

_CONFIG = "axolotl/utils/schemas/config.py"
_PEFT = "axolotl/utils/schemas/peft.py, 0.19.0"
_VALIDATION = "axolotl/utils/schemas/validation.py"
_RESOLVE = "axolotl/utils/config/__init__.py resolve_dtype, 0.19.0"
_KERNELS = ("lora_mlp_kernel", "lora_qkv_kernel", "lora_o_kernel")
_GATHER = "fp8_enable_fsdp_float8_all_gather"
_FUSED = next(one for one in transformers.CONFLICTS if one.rule == "fused-adam-under-fsdp-scaler")
_ON = (True, "true", "auto", "full")


def _before_hopper(run: Run) -> bool:
    return run.machine is not None and (run.machine.capability or (0, 0)) < (9, 0)


def _quantized(view: View) -> bool:
    return view.on("load_in_8bit") or view.on("load_in_4bit")


def _scaled(view: View, run: Run) -> bool:
    """Check whether a whole model is loaded in float16 under a grad scaler: an engine or FSDP keeps float32 weights."""
    raised = has_engine(run, view) or sharded(run) is not None or view.given("adapter")
    half = mixed(view, run).value == "float16" and weights(view, run).value == "float16"
    return half and not raised and not run.on_device("cpu")


CONFLICTS = (
    Conflict(
        rule="attention-needs-half", keys=("flash_attention", "bf16", "fp16"),
        when=lambda s, _: (
            s.on("flash_attention")
            and s.at("bf16", False, "false")
            and s.off("fp16")
            and not s.on("bfloat16")
            and not s.on("float16")
        ),
        says="flash_attention with neither bf16 nor fp16", effect=FLASH_ATTENTION, help="set bf16: auto",
        source="axolotl/loaders/model.py, 0.19.0",
    ),
    Conflict(
        rule="attention-needs-half", severity="warning", keys=("sample_packing", "fp16"),
        when=lambda s, _: (
            (s.on("fp16") or s.on("float16"))
            and s.at("bf16", None, False, "false")
            and not s.on("bfloat16")
            and not s.given("adapter")
            and not flash(s)
            and s.on("sample_packing")
        ),
        says="full fine-tuning in fp16 with sample_packing and without flash attention",
        effect="ValueError: Attempting to unscale FP16 gradients. Or RuntimeError: expected mat1 and mat2 to have the "
        "same dtype, but got: float != c10::Half",
        help="train an adapter, use flash_attention, or bf16",
        source=f"{_VALIDATION} check_fft_possible_bad_config, 0.19.0",
    ),
    Conflict(
        rule="attention-needs-half", keys=("flash_optimum", "bf16", "fp16"),
        when=lambda s, _: s.on("flash_optimum") and (s.on("fp16") or s.at("bf16", *_ON)),
        says="flash_optimum (BetterTransformer) with fp16 or bf16",
        effect="ValueError: AMP is not supported with BetterTransformer",
        help="use bfloat16: true or float16: true instead, or drop flash_optimum",
        source=f"{_VALIDATION} check_better_transformers, 0.19.0",
    ),
    Conflict(
        rule="attention-needs-half", keys=("attn_implementation",),
        when=lambda s, run: (
            s.at("attn_implementation", "fp8")
            and run.machine is not None
            and (run.machine.device != "cuda" or _before_hopper(run))
        ),
        says="attn_implementation fp8 before Hopper",
        effect="ValueError: attn_implementation=fp8 requires compute capability sm_90 or higher (Hopper+).",
        help="use flash_attention_2 or sdpa", source=f"{_CONFIG} check_fp8_attention_preflight, 0.19.0",
    ),
    Conflict(
        rule="attention-needs-half", severity="warning",
        keys=("sample_packing", "sdp_attention", "attn_implementation", "bf16"),
        when=lambda s, run: (
            s.on("sample_packing") and sdpa(s) and (s.at("bf16", *_ON) or s.on("bfloat16")) and _before_hopper(run)
        ),
        says="sample_packing with sdpa and bf16 before Hopper",
        effect="silent: the loss may be 0.0 (scaled_dot_product_attention with a mask, in bf16, before sm_90)",
        help="use flash_attention, or fp16", source=f"{_CONFIG} check_sample_packing_w_sdpa_bf16, 0.19.0",
    ),
    Conflict(
        rule="bf16-on-cpu", keys=("bf16", "bfloat16"),
        when=lambda s, run: run.on_device("cpu") and mixed(s, run).value == "bfloat16",
        says="bf16 on a machine without a GPU", effect=transformers.NO_BF16_GPU, help="set bf16: auto, or false",
        source="transformers/training_args.py, 5.16.1; axolotl passes bf16 and bfloat16 on",
    ),
    Conflict(
        rule="both-half-dtypes", severity="warning", keys=("fp16", "bf16"),
        when=lambda s, _: s.on("fp16") and s.at("bf16", True, "true", "True"), says="fp16 and bf16 are both on",
        effect="silent: bf16 takes precedence, fp16 is switched off", help=KEEP_ONE_HALF, source=_RESOLVE,
    ),
    Conflict(
        rule="fp8-not-available", keys=("fp8_config.recipe", "fp8"),
        when=lambda s, _: s.filled("fp8_config.") and s.off("fp8"), says="fp8_config without fp8",
        effect="ValueError: `fp8_config` requires `fp8: true`", help="set fp8: true, or drop fp8_config",
        source=f"{_VALIDATION} check_fp8_config, 0.19.0",
    ),
    Conflict(
        rule="fp8-not-available", keys=(_GATHER, "fp8_config.recipe"),
        when=lambda s, _: s.on(_GATHER) and s.text("fp8_config.recipe") not in ("", "tensorwise"),
        says=f"{_GATHER} with {{1}} scaling",
        effect=f"ValueError: `{_GATHER}` only supports the tensorwise `fp8_config.recipe`",
        help="set fp8_config.recipe: tensorwise, or drop the float8 all-gather",
        source=f"{_VALIDATION} check_fp8_config, 0.19.0",
    ),
    replace(
        _FUSED, inherited=False, keys=("optimizer", "fp16", "fsdp_version"),
        when=lambda s, run: (
            s.at("optimizer", "adamw_torch_fused") and mixed(s, run).value == "float16" and flattened(run) is not None
        ),
        says="fp16 under FSDP1, and axolotl's optimizer is {0}",
        help="set optimizer: adamw_torch, or use bf16 instead of fp16, or fsdp_version: 2",
    ),
    Conflict(
        rule="half-parameters-under-grad-scaler", keys=("fp16", "bf16"), when=_scaled,
        says="the weights are loaded in float16, and fp16 uses a grad scaler", effect=UNSCALE["float16"],
        help="use bf16: true, an adapter, FSDP or DeepSpeed: they train float32 weights",
        source=f"{_RESOLVE}; {SCALER}",
    ),
    Conflict(
        rule="half-parameters-under-grad-scaler", keys=("lora_modules_to_save", "fp16"),
        when=lambda s, run: s.on("fp16") and s.filled("lora_modules_to_save") and not has_engine(run, s),
        says="lora_modules_to_save trains modules of a float16 base, and fp16 uses a grad scaler",
        effect=UNSCALE["float16"], help="use bf16: true, or torch_dtype: float32",
        source=f"peft 0.21.2: ModulesToSaveWrapper keeps the base's dtype; {SCALER}",
    ),
    Conflict(
        rule="quantization-excludes", keys=("load_in_8bit", "adapter"),
        when=lambda s, _: s.text("adapter") == "qlora" and s.on("load_in_8bit") and s.off("load_in_4bit"),
        says="adapter qlora with load_in_8bit", effect="ValueError: Can't load qlora in 8bit",
        help="set load_in_4bit: true instead, or adapter: lora", source=_PEFT,
    ),
    Conflict(
        rule="quantization-excludes", keys=("adapter", "load_in_4bit"),
        when=lambda s, _: s.text("adapter") == "qlora" and s.off("load_in_4bit") and s.off("load_in_8bit"),
        says="adapter qlora without load_in_4bit", effect="ValueError: Require cfg.load_in_4bit to be True for qlora",
        help="set load_in_4bit: true, or adapter: lora", source=_PEFT,
    ),
    Conflict(
        rule="quantization-excludes", keys=("load_in_8bit", "load_in_4bit"),
        when=lambda s, _: _quantized(s) and not s.get("adapter") and not s.open,
        says="quantized loading without an adapter",
        effect="ValueError: load_in_8bit and load_in_4bit are not supported without setting an adapter for training.",
        help="set adapter: lora or qlora, or load in half precision", source=_PEFT,
    ),
    Conflict(
        rule="quantization-excludes", keys=("load_in_4bit", "load_in_8bit"),
        when=lambda s, _: _quantized(s) and s.below("qat."), says="quantized loading with qat",
        effect="ValueError: QAT and load_in_4bit (load_in_8bit) cannot be used together.",
        help="drop qat, or load in half precision", source=f"{_CONFIG}, 0.19.0",
    ),
    Conflict(
        rule="quantization-excludes", keys=("load_in_8bit", *_KERNELS),
        when=lambda s, _: s.text("adapter") == "lora" and s.on("load_in_8bit") and any(s.on(k) for k in _KERNELS),
        says="the LoRA kernels with an 8-bit base",
        effect="ValueError: lora_mlp_kernel, lora_qkv_kernel, and lora_o_kernel are not compatible with 8-bit LoRA",
        help="drop the kernels, or load in 4 bits or half precision",
        source=f"{_VALIDATION}, 0.19.0 check_lora_kernels_8bit",
    ),
    Conflict(
        rule="sharded-unit-of-two-dtypes", keys=(_GATHER, "fsdp_version"),
        when=lambda s, _: s.on(_GATHER) and s.number("fsdp_version") != 2, says=f"{_GATHER} without FSDP2",
        effect=f"ValueError: {_GATHER} requires FSDP2 (fsdp_version: 2) to be used.", help="set fsdp_version: 2",
        source=f"{_VALIDATION} check_fp8_config, 0.19.0",
    ),
    Conflict(
        rule="sharded-unit-of-two-dtypes", keys=("fp32_norms", "fsdp_version"),
        when=lambda s, _: s.on("fp32_norms") and s.number("fsdp_version") != 2, says="fp32_norms without FSDP2",
        effect="ValueError: fp32_norms requires fsdp_version: 2. FSDP1's flat-param …", help="set fsdp_version: 2",
        source=f"{_CONFIG}, 0.19.0",
    ),
)
