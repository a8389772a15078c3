"""An attention kernel takes half precision only.

## What
flash attention with float32 weights and no autocast; SimpleTuner's `attention_mechanism` of SageAttention or a flash
kernel with `mixed_precision` no; sample packing in float16 without a flash kernel; axolotl's `flash_optimum` beside
fp16 or bf16; flash attention 2 before Ampere, float8 attention before Hopper.

## Why
The kernels exist for float16 and bfloat16 alone, and for Ampere and later.

## Example
    attn_implementation: flash_attention_2
    torch_dtype: float32

## Use instead
    attn_implementation: flash_attention_2
    torch_dtype: bfloat16

## Fix safety
Not safe: half precision rounds.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...machines import Machine
from ..calls import calls
from ..conflict import Conflict
from ..contradiction import Contradiction
from ..run import Run
from ..setting import named_dtype
from ..system import Setting
from ..systems import axolotl
from ..view import View

_HALF = (
    "ValueError or RuntimeError: FlashAttention only support fp16 and bf16 data type"
)
_CUDA = "ValueError: FlashAttention2 is not available on CPU. Please make sure torch can access a CUDA device."
_AMPERE = "RuntimeError: FlashAttention only supports Ampere GPUs or newer."


def _float32(view: View, _: Run) -> bool:
    full = named_dtype(view.get("torch_dtype")) == "float32"
    return (
        "flash" in view.text("attn_implementation")
        and full
        and view.off("bf16")
        and view.off("fp16")
    )


def _half_kernel(view: View, _: Run) -> bool:
    return view.text("attention_mechanism").startswith(
        ("sageattention", "flash", "native-flash")
    )


CONFLICTS = (
    Conflict(
        system="simpletuner",
        keys=("attention_mechanism", "mixed_precision"),
        when=lambda s, run: _half_kernel(s, run) and s.at("mixed_precision", "no"),
        says="{0} takes half precision only, mixed_precision is {1}",
        effect="RuntimeError: No available kernel. Aborting execution. (torch's flash attention), AssertionError: "
        "Input tensors must be in dtype of torch.float16 or torch.bfloat16 (SageAttention)",
        help="set mixed_precision to bf16, or attention_mechanism to diffusers",
        source="sageattention/core.py; ATen/native/transformers/cuda/sdp_utils.cpp",
    ),
    *(
        Conflict(
            system=system,
            keys=("attn_implementation", "torch_dtype"),
            when=_float32,
            says="flash attention with float32 weights, without autocast",
            effect=_HALF,
            help="set torch_dtype: bfloat16 or bf16: true, or attn_implementation: sdpa",
            source="flash_attn/flash_attn_interface.py; transformers/modeling_utils.py, 5.23.0",
        )
        for system in ("transformers", "trl")
    ),
    Conflict(
        system="axolotl",
        keys=("flash_attention", "bf16", "fp16"),
        when=lambda s, _: (
            s.on("flash_attention")
            and s.at("bf16", False, "false")
            and s.off("fp16")
            and not s.on("bfloat16")
            and not s.on("float16")
        ),
        says="flash_attention with neither bf16 nor fp16",
        effect=_HALF,
        help="set bf16: auto",
        source="axolotl/loaders/model.py, 0.19.0",
    ),
    Conflict(
        system="axolotl",
        keys=("sample_packing", "fp16"),
        severity="warning",
        when=lambda s, _: (
            (s.on("fp16") or s.on("float16"))
            and s.at("bf16", None, False, "false")
            and not s.on("bfloat16")
            and not s.given("adapter")
            and not axolotl.flash(s)
            and s.on("sample_packing")
        ),
        says="full fine-tuning in fp16 with sample_packing and without flash attention",
        effect="ValueError: Attempting to unscale FP16 gradients. Or RuntimeError: expected mat1 and mat2 to have the "
        "same dtype, but got: float != c10::Half",
        help="train an adapter, use flash_attention, or bf16",
        source="axolotl/utils/schemas/validation.py check_fft_possible_bad_config, 0.19.0",
    ),
    Conflict(
        system="axolotl",
        keys=("flash_optimum", "bf16", "fp16"),
        when=lambda s, _: (
            s.on("flash_optimum")
            and (s.on("fp16") or s.at("bf16", True, "true", "auto", "full"))
        ),
        says="flash_optimum (BetterTransformer) beside fp16 or bf16",
        effect="ValueError: AMP is not supported with BetterTransformer",
        help="use bfloat16: true or float16: true instead, or drop flash_optimum",
        source="axolotl/utils/schemas/validation.py check_better_transformers, 0.19.0",
    ),
    Conflict(
        system="axolotl",
        keys=("attn_implementation",),
        when=lambda s, run: (
            s.at("attn_implementation", "fp8")
            and run.machine is not None
            and (
                run.machine.device != "cuda"
                or (run.machine.capability or (0, 0)) < (9, 0)
            )
        ),
        says="attn_implementation fp8 before Hopper",
        effect="ValueError: attn_implementation=fp8 requires compute capability sm_90 or higher (Hopper+).",
        help="use flash_attention_2 or sdpa",
        source="axolotl/utils/schemas/config.py check_fp8_attention_preflight, 0.19.0",
    ),
    Conflict(
        system="axolotl",
        keys=("sample_packing", "sdp_attention", "attn_implementation", "bf16"),
        severity="warning",
        when=lambda s, run: (
            s.on("sample_packing")
            and axolotl.sdpa(s)
            and (s.at("bf16", True, "true", "auto", "full") or s.on("bfloat16"))
            and run.machine is not None
            and (run.machine.capability or (0, 0)) < (9, 0)
        ),
        says="sample_packing with sdpa and bf16 before Hopper",
        effect="silent: the loss may be 0.0 (scaled_dot_product_attention with a mask, in bf16, before sm_90)",
        help="use flash_attention, or fp16",
        source="axolotl/utils/schemas/config.py check_sample_packing_w_sdpa_bf16, 0.19.0",
    ),
)


def find(run: Run) -> Iterator[Contradiction]:
    """Flash attention 2 where the machine is too old for it; float32 loads in code."""
    machine = run.machine
    effect = _refused(machine) if machine else ""
    asked = [*_flash(run)] if machine and effect else []
    for setting in asked:
        yield Contradiction(
            says=f"flash attention 2 on {machine.name if machine else ''}",
            settings=(setting,),
            effect=effect,
            help="use sdpa",
        )
    if not asked:
        yield from _float32_loads(run)


def _float32_loads(run: Run) -> Iterator[Contradiction]:
    """Loads in float32 of programs that compute: autocast, or a trainer that switches it on, casts for the kernel."""
    autocast = run.trainers or any(calls(run, "autocast"))
    for view in () if autocast else calls(run, "from_pretrained"):
        given = view.given("dtype")
        if (
            given
            and str(given.value).endswith("float32")
            and view.text("attn_implementation").startswith("flash_attention")
        ):
            yield Contradiction(
                says="flash attention with float32 weights",
                settings=(view.given("attn_implementation"), given),
                effect=_HALF,
                help="load the model in bfloat16, or use sdpa",
            )


def _refused(machine: Machine) -> str:
    """Why flash attention 2 does not run there; AMD's build of it does."""
    if machine.device in ("cpu", "mps"):
        return _CUDA
    old = (
        machine.device == "cuda"
        and not machine.hip
        and (machine.capability or (0, 0)) < (8, 0)
    )
    return _AMPERE if old else ""


def _flash(run: Run) -> Iterator[Setting]:
    for view in run.views:
        for setting in map(
            view.given, ("attn_implementation", "flash_attention", "flash_attn")
        ):
            if setting is not None and (
                setting.value is True
                or str(setting.value) in ("flash_attention_2", "fa2")
            ):
                yield setting
