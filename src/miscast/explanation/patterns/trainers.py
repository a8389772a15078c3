"""Refusals of trainers and launchers before they start."""

from ..pattern import Pattern

PATTERNS = (
    Pattern(
        name="bf16-accelerator-unsupported", category="unsupported-dtype", op="Accelerator", library="accelerate",
        texts=("bf16 mixed precision requires PyTorch >= 1.10 and a supported device",),
        operands=(("requested", "bfloat16", "cuda"),), implies=("gpu-lacks-bfloat16",),
    ),
    Pattern(
        name="settings-at-odds", category="precision-config", op="Trainer", library="", spoken=True,
        texts=(
            "{a:exact} and {b:exact} [cannot|can not|can't|must not|should not|may not] {..}[be|both]",
            "[cannot|can not|can't|only one of|at most one of|either|not both|exactly one of|choose one of] {..}{a:exact} {..}[and|or] {..}{b:exact}",
            "{a:exact} {..}and {..}{b:exact} {..}[mutually exclusive|not both|at the same time|simultaneously|conflict|together]",
            ("[mixed_precision|precision|torch_dtype|bnb_4bit_compute_dtype|amp_level|amp_backend|autocast|loss_scale|"
             "bnb_4bit_quant_storage|kv_cache_dtype|weight_dtype|compute_dtype|param_dtype|reduce_dtype] {..}[is invalid|"
             "not supported|unknown|must be one of|should be one of|is not a valid|not compatible|incompatible|"
             "only supported|has to be one of|must be set|cannot be used|can only be used]"),
            "{a:exact} but {..}config {..}{b:exact}",
            "{a:exact} {..}not compatible with",
        ),
        implies=("settings-disagree",),
        examples=("RuntimeError: zero.Init with dtype fp16 but config has bf16 enabled",),
    ),
    Pattern(
        name="quantized-model-cast", category="precision-config", op="Module.to", library="transformers",
        texts=(
            "[.half()|.float()|.to|.to()|.cuda()|`.to`|`.half()`] is not supported for [`4-bit`|`8-bit`|4-bit|8-bit|quantized|GPTQ]",
            "Calling [cuda|to|half|float]() is not supported for [4-bit|8-bit|quantized|GPTQ]",
            "You cannot cast a [bitsandbytes|GPTQ|quantized] model in a new dtype",
            "Casting a {...}quantized model to a new dtype is [not supported|unsupported]",
            "You can't train a model that has been loaded in 8-bit [|or 4-bit ]precision [on multiple|with CPU]",
        ),
        implies=("quantized-model-moved",),
    ),
    Pattern(
        name="weights-and-mixed-precision", category="precision-config", op="Trainer", library="musubi-tuner",
        texts=("weights are in {found}, mixed precision must be [fp16|bf16|fp32|no|float16|bfloat16]",),
        implies=("settings-disagree",),
    ),
    Pattern(
        name="composer-precision", category="precision-config", op="Trainer", library="composer",
        texts=("Value {requested} not found in Precision",), implies=("version-lacks-option",),
    ),
    Pattern(
        name="precision-unknown", category="precision-config", op="Accelerator", library="", spoken=True,
        texts=(
            "[Invalid|Unsupported|Unknown|Unable to interpret|Unrecognized] [mixed precision|mixed_precision|precision]",
            "[requires setting|only use {..}when using|set] mixed_precision",
            "[can be one of|can only be|needs to be of type|must be a valid|is not a valid|must be a string or a] {..}torch.dtype",
            "[fp8_format|mixed_precision_policy] must be",
        ),
        implies=("version-lacks-option",),
        examples=("ValueError: Invalid mixed precision: fp61. Must be one of no, fp16, bf16",),
    ),
)
