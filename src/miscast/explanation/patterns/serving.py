"""Refusals of serving engines (vLLM, CTranslate2), their key-value caches and their quantized weights."""

from ..pattern import Pattern

PATTERNS = (
    Pattern(
        name="compute-type-refused", category="unsupported-dtype", op="model load", library="ctranslate2",
        texts=(
            "Requested {found} compute type, but the target device or backend do not support",
            "The compute type inferred from the saved model is {found}, but the target device or backend do not support",
        ),
        implies=("hardware-lacks-dtype",),
    ),
    Pattern(
        name="cache-dtype", category="unsupported-dtype", op="attention", library="vllm",
        texts=(
            "kv_data_type {found} is not supported",
            "Unsupported cache type: {...}",
            "quantized V cache was requested, but this requires Flash Attention",
            "[Unsupported|unsupported|Invalid|invalid|Unknown|Unrecognized] [|data type of ][kv_cache_dtype|kv cache dtype|KV cache dtype|kv cache][| (str), got|: |, got] {found}",
        ),
        implies=("cache-dtype",),
    ),
    Pattern(
        name="rocm-lacks-quantization", category="unsupported-dtype", op="model load", library="vllm",
        texts=("quantization is [currently |]not supported [in|on|for] ROCm",), implies=("engine-lacks-quantization",),
    ),
    Pattern(
        name="quantization-needs-gpu", category="unsupported-dtype", op="model load", library="vllm",
        texts=(
            "[Quantization scheme|The quantization method {...}] is not supported for the current GPU",
            "[Quantization scheme|quantization method] is not supported {...}[capability|GPU]",
            "[fp8|fp4] quantization is [currently |]not supported [in|on|for]",
        ),
        implies=("hardware-lacks-dtype",),
    ),
    Pattern(
        name="quantization-wants-dtype", category="unsupported-dtype", op="model load", library="vllm",
        texts=(
            "{found} is not supported for quantization method {method:name}",
            "[AWQ|GPTQ|awq|gptq|GGUF] {...}only support[s|] {...}[float16|half|fp16|torch.float16]",
        ),
        implies=("settings-disagree",),
    ),
)
