"""A quantized base excludes what is to be done with it.

## What
axolotl's `qlora` in 8 bits or without 4 bits, quantized loading without an adapter or beside `qat`, the LoRA kernels on
8 bits; LLaMA-Factory's `quantization_bit` with full fine-tuning, or 8 bits and AWQ or GPTQ checkpoints under ZeRO-3;
SimpleTuner's fp8 training on a quantized base; quantizers without CUDA.

## Why
Integer weights take no gradient and are of one library's making. The trainers check it at their start.

## Example
    adapter: qlora
    load_in_8bit: true

## Use instead
    adapter: qlora
    load_in_4bit: true

## Fix safety
Not safe: 4 bits round more than 8, and an adapter trains less than the model.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...regex import regex
from ..conflict import Conflict
from ..contradiction import Contradiction
from ..run import Run
from ..systems import lightning, simpletuner, transformers
from ..view import View

_PEFT = "axolotl/utils/schemas/peft.py, 0.19.0"
_RULES = "axolotl/utils/schemas/validation.py, 0.19.0"
_KERNELS = ("lora_mlp_kernel", "lora_qkv_kernel", "lora_o_kernel")


_PACKED = regex(r"-(?:awq|gptq)(?:$|[-_/])")
"""What a checkpoint's name ends in whose config.json has a quantizer of integers; float8 and mxfp4 are taken."""


def _quantized(view: View) -> bool:
    return view.on("load_in_8bit") or view.on("load_in_4bit")


def _eight_bits_sharded(view: View, run: Run) -> bool:
    bits = view.number("quantization_bit") == 8 and view.at(
        "quantization_method", "bnb", "bitsandbytes"
    )
    return bits and _sharded(view, run)


def _sharded(view: View, run: Run) -> bool:
    return transformers.zero3(view, run) or run.view("accelerate").at(
        "distributed_type", "FSDP"
    )


def _packed_sharded(view: View, run: Run) -> bool:
    """Whether a checkpoint's name says that its weights are integers, and something shards them."""
    return bool(_PACKED.search(view.text("model_name_or_path"))) and _sharded(view, run)


def _off_cuda(view: View, run: Run) -> bool:
    return view.at("accelerator", "cpu", "mps", "tpu") or run.off_device("cuda")


CONFLICTS = (
    Conflict(
        system="vllm",
        keys=("dtype", "quantization"),
        when=lambda s, run: (
            s.at("quantization", "awq", "gptq", "awq_marlin", "gptq_marlin")
            and s.at("dtype", "float", "float32")
            and not run.on_device("cpu")
        ),
        says="quantization {1} does not take dtype {0}",
        effect="ValueError: torch.float32 is not supported for quantization method {1}. Supported dtypes: "
        "[torch.float16, torch.bfloat16] (bfloat16 too: with gptq until 0.21, with awq until 0.23)",
        help="set dtype to auto, half or bfloat16",
        source="vllm/model_executor/layers/quantization/auto_awq.py, auto_gptq.py get_supported_act_dtypes, 0.33",
    ),
    Conflict(
        system="sat",
        keys=("bf16", "quant"),
        when=lambda s, _: s.on("bf16") and s.number("quant") is not None,
        says="--bf16 beside --quant {1}: the quantized weights are unpacked to float16",
        effect="RuntimeError: expected mat1 and mat2 to have the same dtype, but got: c10::BFloat16 != c10::Half",
        help="--fp16, as CogVLM's README has it",
        source="sat/quantization/kernels.py W8A16Linear, extract_weight_to_half, 0.4.12; CogVLM README",
    ),
    Conflict(
        system="axolotl",
        keys=("load_in_8bit", "adapter"),
        when=lambda s, _: (
            s.text("adapter") == "qlora"
            and s.on("load_in_8bit")
            and s.off("load_in_4bit")
        ),
        says="adapter qlora in 8 bits",
        effect="ValueError: Can't load qlora in 8bit",
        help="set load_in_4bit: true instead, or adapter: lora",
        source=_PEFT,
    ),
    Conflict(
        system="axolotl",
        keys=("adapter", "load_in_4bit"),
        when=lambda s, _: (
            s.text("adapter") == "qlora"
            and s.off("load_in_4bit")
            and s.off("load_in_8bit")
        ),
        says="adapter qlora without load_in_4bit",
        effect="ValueError: Require cfg.load_in_4bit to be True for qlora",
        help="set load_in_4bit: true, or adapter: lora",
        source=_PEFT,
    ),
    Conflict(
        system="axolotl",
        keys=("load_in_8bit", "load_in_4bit"),
        when=lambda s, _: _quantized(s) and not s.get("adapter") and not s.open,
        says="quantized loading without an adapter",
        effect="ValueError: load_in_8bit and load_in_4bit are not supported without setting an adapter for training.",
        help="set adapter: lora or qlora, or load in half precision",
        source=_PEFT,
    ),
    Conflict(
        system="axolotl",
        keys=("load_in_4bit", "load_in_8bit"),
        when=lambda s, _: _quantized(s) and s.below("qat."),
        says="quantized loading beside qat",
        effect="ValueError: QAT and load_in_4bit (load_in_8bit) cannot be used together.",
        help="drop qat, or load in half precision",
        source="axolotl/utils/schemas/config.py, 0.19.0",
    ),
    Conflict(
        system="axolotl",
        keys=("load_in_8bit", *_KERNELS),
        when=lambda s, _: (
            s.text("adapter") == "lora"
            and s.on("load_in_8bit")
            and any(s.on(k) for k in _KERNELS)
        ),
        says="the LoRA kernels on a base in 8 bits",
        effect="ValueError: lora_mlp_kernel, lora_qkv_kernel, and lora_o_kernel are not compatible with 8-bit LoRA",
        help="drop the kernels, or load in 4 bits or half precision",
        source=f"{_RULES} check_lora_kernels_8bit",
    ),
    Conflict(
        system="llamafactory",
        keys=("quantization_bit", "finetuning_type"),
        when=lambda s, _: (
            s.number("quantization_bit") is not None
            and s.at("finetuning_type", "full", "freeze")
        ),
        says="finetuning_type {1} of a base in {0} bits",
        effect="ValueError: Quantization is only compatible with the LoRA method.",
        help="set finetuning_type: lora, or drop quantization_bit",
        source="llamafactory/hparams/parser.py _verify_model_args, 0.9.3",
    ),
    Conflict(
        system="llamafactory",
        keys=("quantization_bit", "deepspeed"),
        when=_eight_bits_sharded,
        says="a base in 8 bits under ZeRO-3 or FSDP",
        effect="ValueError: Only 4-bit quantized model can use fsdp+qlora or auto device map.",
        help="set quantization_bit: 4, or use ZeRO-2",
        source="llamafactory/model/model_utils/quantization.py, 0.9.3",
    ),
    Conflict(
        system="llamafactory",
        keys=("model_name_or_path", "deepspeed"),
        when=_packed_sharded,
        says="{0} is stored in integers, under ZeRO-3 or FSDP",
        effect="ValueError: DeepSpeed ZeRO-3 or FSDP is incompatible with PTQ-quantized models.",
        help="use ZeRO-2, or the model in half precision with quantization_bit: 4",
        source="llamafactory/model/model_utils/quantization.py, main of 2026-08; LlamaFactory#6898",
    ),
    Conflict(
        system="simpletuner",
        keys=("mixed_precision", "base_model_precision"),
        when=lambda s, _: (
            s.at("mixed_precision", "fp8")
            and simpletuner.quantized(s)
            and not s.at("base_model_precision", "fp8-torchao")
        ),
        says="mixed_precision fp8 on a base in {1}",
        effect="ValueError: You cannot use --mixed_precision=fp8 with a quantized base model.",
        help="set mixed_precision to bf16, or base_model_precision to no_change or fp8-torchao",
        source="SimpleTuner helpers/configuration/cmd_args.py, 3.1.6",
    ),
    Conflict(
        system="simpletuner",
        keys=("base_model_precision", "model_type"),
        when=lambda s, _: (
            simpletuner.quantized(s)
            and s.at("model_type", "full")
            and not s.given("controlnet")
            and not s.on("i_know_what_i_am_doing")
        ),
        says="all of a base in {0} is to be trained",
        effect="SystemExit: 1 (full tuning is not compatible with quantisation)",
        help="set base_model_precision to no_change, or model_type to lora",
        source="SimpleTuner helpers/training/default_settings/safety_check.py, 3.1.6",
    ),
    Conflict(
        system="lightning",
        keys=("plugins", "accelerator"),
        when=lambda s, run: (
            lightning.plugin(s) == "BitsandbytesPrecision" and _off_cuda(s, run)
        ),
        says="BitsandbytesPrecision off CUDA",
        effect="RuntimeError: Bitsandbytes is only supported on CUDA GPUs.",
        help="use bf16-true, or a CUDA machine",
        source="lightning/pytorch/trainer/connectors/accelerator_connector.py, 2.6.6",
    ),
)


def find(run: Run) -> Iterator[Contradiction]:
    """SimpleTuner's quantizers that need CUDA, elsewhere."""
    view = run.view("simpletuner")
    for setting in (
        map(view.given, simpletuner.QUANTIZED_KEYS) if run.off_device("cuda") else ()
    ):
        if (
            setting is not None
            and run.machine
            and str(setting.value) in simpletuner.CUDA_ONLY
        ):
            yield Contradiction(
                says=f"{setting.name} is {setting.value}, which needs CUDA, on {run.machine.name}",
                settings=(setting,),
                effect=f"argparse: invalid choice: {setting.value!r}: the choice is there only where CUDA is",
                help="use int8-quanto or int8-torchao",
            )
