"""Precision settings that contradict one another, the hardware, or the version."""

from ..pattern import Pattern

PATTERNS = (
    Pattern(
        name="bf16-gpu-unsupported", category="unsupported-dtype", op="TrainingArguments", library="transformers",
        texts=("Your setup doesn't support bf16/[gpu|cpu|npu|tpu]",), operands=(("requested", "bfloat16", "cuda"),),
        implies=("gpu-lacks-bfloat16",),
    ),
    Pattern(
        name="tf32-unsupported", category="unsupported-dtype", op="TrainingArguments", library="transformers",
        texts=("--tf32 requires Ampere or a newer GPU arch",), implies=("gpu-lacks-bfloat16",),
    ),
    Pattern(
        name="fp16-needs-cuda", category="unsupported-dtype", op="Accelerator", library="accelerate",
        texts=("[fp16|fp8] mixed precision requires a GPU{...}(not [mps|xpu|npu|hpu|xla]",),
        operands=(("requested", "float16", ""),), implies=("scaled-training-elsewhere",),
        examples=("ValueError: fp16 mixed precision requires a GPU (not 'mps').",),
    ),
    Pattern(
        name="fp16-needs-gpu", category="unsupported-dtype", op="Accelerator", library="accelerate",
        texts=("fp16 mixed precision requires a GPU",), operands=(("requested", "float16", "cpu"),),
        implies=("cpu-only-build",),
    ),
    Pattern(
        name="fp16-arguments-need-gpu", category="unsupported-dtype", op="TrainingArguments", library="transformers",
        texts=(
            ("FP16 Mixed precision training with AMP or APEX (--fp16) [and FP16 half precision evaluation "
             "(--fp16_full_eval) |]can only be used on CUDA"),
            "Mixed precision training with AMP{...}can only be used on",
        ),
        operands=(("requested", "float16", "cpu"),), implies=("cpu-only-build",),
    ),
    Pattern(
        name="amp-plus-cpu", category="precision-config", op="trainer setup", library="lightning",
        texts=("amp + cpu is not supported",), implies=("cpu-only-build",),
    ),
    Pattern(
        name="fp16-and-bf16", category="precision-config", op="TrainingArguments", library="transformers",
        texts=(
            "At most one of fp16 and bf16 can be True, but not both",
            "Only 1 can be set between `dtype` and `quantize`",
        ),
        implies=("settings-disagree",),
    ),
    Pattern(
        name="stage-lacks-precision", category="precision-config", op="DeepSpeed config", library="deepspeed",
        texts=("[bf16|bfloat16|fp16|float16] mode is only [enabled|supported|available] [for|with|in] [Zero|stage|optimizer]",),
        implies=("stage-lacks-precision",),
        examples=("AssertionError: bfloat16 mode is only enabled for Zero 1 currently",),
    ),
    Pattern(
        name="deepspeed-disagrees", category="precision-config", op="DeepSpeed config", library="deepspeed",
        texts=(
            "[BF16|Bfloat16|FP16] optimizer for ZeRO requires {...}gradient accumulation",
            "Please correct the following DeepSpeed config values that mismatch TrainingArguments values: {...}[fp16|bf16|amp]",
            "--mixed_precision arg cannot be set to {...} when [bf16|fp16] is set in the DeepSpeed config file",
            "`--mixed_precision` arg cannot be set to {...} when",
            "validation [error|errors] for DeepSpeed[FP16|BF16|TorchAutocast|AMP]Config",
            "fp16 is enabled but {...} following parameters have dtype that is not fp16",
            "ZeRO{...}only supports {...}fp16",
            "Model data type and gradient accumulation data type must be equal to use ZeRO",
        ),
        implies=("settings-disagree",),
        examples=("ValueError: fp16 is enabled but the following parameters have dtype that is not fp16: embed.weight",),
    ),
    Pattern(
        name="deepspeed-accelerator-dtype", category="unsupported-dtype", op="DeepSpeed config", library="deepspeed",
        texts=("Error: Type {requested} is not supported",), unless=("scalar",), implies=("backend-lacks-dtype",),
    ),
    Pattern(
        name="lightning-precision", category="precision-config", op="Trainer", library="lightning",
        texts=(
            "Precision {precision:name} is invalid. Allowed precision values",
            "precision={...}is not supported",
            "`precision={...}{precision:name}` is not supported",
            "You set `{...}precision={precision:name}`{...}but",
            "You have asked for `amp_level={...} but it's only supported with `amp_backend=",
        ),
        unless=("lowprecision",), implies=("version-lacks-option",),
    ),
    Pattern(
        name="mixed-precision-choice", category="precision-config", op="Accelerator", library="accelerate",
        texts=(
            "Unknown mixed_precision mode: {precision:name}",
            "argument --[kv-cache-dtype|kv_cache_dtype|torch-dtype|mixed-precision|weight-dtype]{...}: invalid choice: {precision:name}",
        ),
        implies=("version-lacks-option",),
    ),
    Pattern(
        name="apex-param-type", category="precision-config", op="amp.initialize", library="apex",
        texts=("Found param {arg:name} with type {found}, expected {expected}",),
        implies=("half-parameters-under-scaler",),
    ),
    Pattern(
        name="optimizer-only-dtype", category="precision-config", op="optimizer.step", library="an optimizer",
        texts=("only bfloat 16 is supported", "parameter in optimizer({...}) is not [FP32|BF16|FP16]"),
        implies=("optimizer-wants-dtype",), examples=("AssertionError: only bfloat 16 is supported.",),
    ),
    Pattern(
        name="dtype-string", category="precision-config", op="from_pretrained", library="transformers",
        texts=(
            "[torch_dtype|dtype] must be a torch.dtype",
            "Unknown dtype: {dtype:name}",
            "torch_dtype {...} is not a `torch.dtype`",
            "module 'torch' has no attribute '[fp16|bf16|fp32|fp64|fp8|nf4|nvfp4|mxfp4|int4]'",
        ),
        implies=("version-lacks-option",), examples=("ValueError: Unknown dtype: bfloat61",),
    ),
    Pattern(
        name="auto-without-value", category="precision-config", op="DeepSpeed config", library="accelerate",
        texts=("[bfloat16|bf16|fp16|fp16_enabled|torch_autocast].enabled not found in kwargs",),
        implies=("settings-disagree",),
        examples=(
            ("ValueError: bfloat16.enabled not found in kwargs. Please specify bfloat16.enabled without auto(set to "
             "correct value) in the DeepSpeed config file or pass it in kwargs."),
        ),
    ),
    Pattern(
        name="dtype-not-in-list", category="precision-config", op="model load", library="ComfyUI",
        texts=("Value not in list: {...}[dtype|data_type|datatype|precision]: {found} not in",),
        implies=("hardware-lacks-dtype",),
    ),
    Pattern(
        name="dtype-as-device", category="precision-config", op="to", texts=("Invalid device string: {found}",),
        implies=("settings-disagree",), raised_by="torch.ones(2).to('bfloat16')",
    ),
    Pattern(
        name="autocast-without-device", category="precision-config",
        texts=("CUDA is not available or torch_xla is imported. Disabling autocast",), op="autocast",
        implies=("cpu-only-build",),
        raised_by="import warnings\nwith warnings.catch_warnings():\n    warnings.simplefilter('error')\n    torch.autocast('cuda')",
    ),
)
