"""What quantizers and quantized weights refuse, or want set otherwise."""

from __future__ import annotations

from ..pattern import OpClue, Pattern

PATTERNS = (
    Pattern(
        name="quantization-methods-differ",
        category="precision-config",
        texts=(
            "Quantization method specified in the model config ({...}) does not match the quantization method specified in the",
        ),
        op="model load",
        library="vllm",
        implies=("settings-disagree",),
    ),
    Pattern(
        name="quantized-weights-excluded",
        category="precision-config",
        texts=(
            "is quantized with {...} but that quantization method do[|es] not support training",
            "Cannot merge [LORA|LoRA|lora] layers when the model is loaded in [8|4]-bit",
            "Require[|s] {...}load_in_[4bit|8bit] to be [True|False]",
            "load_in_[4bit|8bit] {...}[is not compatible|not compatible|cannot be used|can't be used|must be]",
        ),
        op="model load",
        library="",
        implies=("settings-disagree",),
        examples=(
            "ValueError: Cannot merge LORA layers when the model is loaded in 8-bit mode",
            "ValueError: Require cfg.load_in_4bit to be True for qlora",
        ),
    ),
    Pattern(
        name="bitsandbytes-compute-dtype",
        category="precision-config",
        texts=(
            "Input type into Linear4bit is {input}, but bnb_4bit_compute_dtype={compute}",
            "bnb_4bit_compute_dtype{...}must be torch.dtype",
            "bnb_4bit_compute_dtype must be",
        ),
        op="linear",
        op_clues=(OpClue(op="BitsAndBytesConfig", place="message", words=("dtypemust", "mustbetorch.dtype")),),
        library="bitsandbytes",
        implies=("settings-disagree",),
        examples=(
            (
                "UserWarning: Input type into Linear4bit is torch.float16, but bnb_4bit_compute_dtype=torch.float32 "
                "(default). This will lead to slow inference or training speed."
            ),
        ),
    ),
    Pattern(
        name="bitsandbytes-cast",
        category="precision-config",
        texts=("MatMul8bitLt: inputs will be cast from {input} to {cast} during quantization",),
        op="linear",
        library="bitsandbytes",
        implies=("model-loaded-in-float32",),
    ),
    Pattern(
        name="narrow-format-needs-scale",
        category="precision-config",
        texts=(
            "[fp8|FP8|fp4|FP4|mxfp4|MXFP4|nvfp4|NVFP4|float8|int8] {.}[requires|needs] {..}[scale|scales|q_scale|k_scale|kv_scale|input_scale|weight_scale]",
        ),
        op="model load",
        library="",
        spoken=True,
        implies=("scales-missing",),
        examples=("RuntimeError: mla_decode_fwd: fp8 Q requires q_scale and kv_scale",),
    ),
    Pattern(
        name="quantization-scheme-refused",
        category="unsupported-dtype",
        texts=(
            "Unsupported qscheme: {...}",
            "qscheme only support[s|] torch.per_",
            "Expected quantizer->qscheme() == {...} to be true",
            "ScalarType is not supported in new_qtensor",
            "quantized nyi in meta tensors",
            "Exporting the operator [quantized::|'quantized::]{op:name} to ONNX",
            "to be a quantized tensor. Is this likely due to missing support for quantized `onnx::{op:name}`",
        ),
        op="quantize",
        op_clues=(OpClue(place="calls"),),
        implies=("library-refuses-dtype",),
        examples=(
            "RuntimeError: Unsupported qscheme: per_channel_affine_float_qparams",
            "torch.onnx.errors.UnsupportedOperatorError: Exporting the operator 'quantized::group_norm' to ONNX opset version 17 is not supported.",
        ),
    ),
    Pattern(
        name="bitsandbytes-dtype",
        category="unsupported-dtype",
        texts=("Blockwise [4bit |][|de]quantization only supports 16/32-bit floats, but got {input}",),
        op="quantize_blockwise",
        library="bitsandbytes",
    ),
)
