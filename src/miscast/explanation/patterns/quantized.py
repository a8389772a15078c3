"""Refusals of quantizers and quantized weights, and settings that they require."""

from ..pattern import OpClue, Pattern

PATTERNS = (
    Pattern(
        name="quantization-methods-differ", category="precision-config", op="model load", library="vllm",
        texts=("Quantization method specified in the model config ({...}) does not match the quantization method specified in the",),
        implies=("settings-disagree",),
    ),
    Pattern(
        name="bitsandbytes-compute-dtype", category="precision-config", op="linear", library="bitsandbytes",
        texts=(
            "Input type into Linear4bit is {input}, but bnb_4bit_compute_dtype={compute}",
            "bnb_4bit_compute_dtype{...}must be torch.dtype",
            "bnb_4bit_compute_dtype must be",
        ),
        op_clues=(OpClue(op="BitsAndBytesConfig", place="message", words=("dtypemust", "mustbetorch.dtype")),),
        implies=("settings-disagree",),
        examples=(
            ("UserWarning: Input type into Linear4bit is torch.float16, but bnb_4bit_compute_dtype=torch.float32 "
             "(default). This will lead to slow inference or training speed."),
        ),
    ),
    Pattern(
        name="bitsandbytes-cast", category="precision-config", op="linear", library="bitsandbytes",
        texts=("MatMul8bitLt: inputs will be cast from {input} to {cast} during quantization",),
    ),
    Pattern(
        name="quantization-scheme-refused", category="unsupported-dtype", op="quantize",
        texts=(
            "Unsupported qscheme: {...}",
            "qscheme only support[s|] torch.per_",
            "Expected quantizer->qscheme() == {...} to be true",
            "ScalarType is not supported in new_qtensor",
            "quantized nyi in meta tensors",
            "Exporting the operator [quantized::|'quantized::]{op:name} to ONNX",
            "to be a quantized tensor. Is this likely due to missing support for quantized `onnx::{op:name}`",
        ),
        op_clues=(OpClue(place="calls"),), implies=("library-refuses-dtype",),
        examples=(
            "RuntimeError: Unsupported qscheme: per_channel_affine_float_qparams",
            "torch.onnx.errors.UnsupportedOperatorError: Exporting the operator 'quantized::group_norm' to ONNX opset version 17 is not supported.",
        ),
    ),
    Pattern(
        name="bitsandbytes-dtype", category="unsupported-dtype", op="quantize_blockwise", library="bitsandbytes",
        texts=("Blockwise [4bit |][|de]quantization only supports 16/32-bit floats, but got {input}",),
    ),
)
