"""What engines that serve a model refuse: vLLM, CTranslate2, their key-value caches and their quantized weights."""

from __future__ import annotations

from ..pattern import Pattern

PATTERNS = (
    Pattern(
        name="compute-type-refused",
        category="unsupported-dtype",
        texts=(
            "Requested {found} compute type, but the target device or backend do not support",
            "Requested {mode:name} compute type, but the target device or backend do not support",
            "The compute type inferred from the saved model is {found}, but the target device or backend do not support",
            "[doesn't|does not] support [given |]compute[_| ]type {found}",
        ),
        op="model load",
        library="ctranslate2",
        implies=("hardware-lacks-dtype",),
        examples=(
            (
                "ValueError: Requested float16 compute type, but the target device or backend do not support efficient "
                "float16 computation."
            ),
        ),
    ),
    Pattern(
        name="cache-dtype",
        category="unsupported-dtype",
        texts=(
            "[Unsupported|unsupported|Invalid|invalid|Unknown|Unrecognized] [|data type of ][kv_cache_dtype|kv cache dtype|KV cache dtype|kv cache][| (str), got|: |, got] {found}",
            "[Unsupported|unsupported|Invalid|invalid|Unknown|Unrecognized] [kv_cache_dtype|kv cache dtype|data type of kv cache]",
            "kv_data_type {found} is not supported",
            "[kv_cache_dtype|kv cache dtype|KV cache dtype]{...}[is not supported|not supported]",
            "[does not|doesn't|not] support{...}[fp8|FP8|quantized] [KV cache|kv cache|kv_cache|kv-cache]",
            "[FP8|fp8] [KV cache|kv cache|kv_cache] {...}not supported",
            "with [FP8|fp8] [KV cache|kv cache|kv_cache] not",
            "[Cannot|cannot] use {...}backend for [FP8|fp8|quantized] [KV cache|kv cache|kv_cache]",
            "Unsupported cache type: {...}",
            "V cache quantization requires flash",
            "quantized V cache was requested, but this requires Flash Attention",
        ),
        op="attention",
        library="vllm",
        implies=("cache-dtype",),
        examples=(
            "AssertionError: unsupported kv_cache_dtype (str), got bfloat16.",
            "RuntimeError: Worker failed with error 'MLA kv_data_type torch.uint8 is not supported.",
            "ValueError: Selected backend does not support fp8 KV cache",
        ),
    ),
    Pattern(
        name="attention-backend-dtype",
        category="unsupported-dtype",
        texts=(
            "dtype {found} [is |]not supported by {...}[backend|attention]",
            "[attention|Attention] backend {...}not support {...}dtype {found}",
        ),
        op="attention",
        library="vllm",
        implies=("library-refuses-dtype",),
        examples=("ValueError: Head size 64 and dtype torch.float32 not supported by FlashAttention backend",),
    ),
    Pattern(
        name="model-wants-other-dtype",
        category="unsupported-dtype",
        texts=("The model type {...} does not support {found}",),
        op="model load",
        library="vllm",
        implies=("library-refuses-dtype",),
        examples=("Value error, The model type 'gemma3' does not support float16. Reason: Numerical instability.",),
    ),
    Pattern(
        name="rocm-lacks-quantization",
        category="unsupported-dtype",
        texts=("quantization is [currently |]not supported [in|on|for] ROCm",),
        op="model load",
        library="vllm",
        implies=("engine-lacks-quantization",),
        examples=("ValueError: fp8 quantization is currently not supported in ROCm.",),
    ),
    Pattern(
        name="quantization-needs-gpu",
        category="unsupported-dtype",
        texts=(
            "[Quantization scheme|The quantization method {...}] is not supported for the current GPU",
            "[Quantization scheme|quantization method] is not supported {...}[capability|GPU]",
            "[fp8|fp4] quantization is [currently |]not supported [in|on|for]",
            "does not support the deployment configuration since kernel does not support [current device|quantization scheme]",
        ),
        op="model load",
        library="vllm",
        implies=("hardware-lacks-dtype",),
        examples=(
            "ValueError: Quantization scheme is not supported for the current GPU. Min capability: 89. Current capability: 86.",
        ),
    ),
    Pattern(
        name="no-quantization-scheme",
        category="unsupported-dtype",
        texts=(
            "No compressed-tensors compatible scheme was found",
            "No compatible backend found for layer {...} with config QuantizationScheme",
            "-bit {...}quantization is not supported for this [format|layer|model|device|method]",
            "kernel does not support QuantKey(",
            "does not contain `bitsandbytes__",
        ),
        op="model load",
        library="vllm",
        implies=("library-refuses-dtype",),
        examples=(
            "NotImplementedError: No compressed-tensors compatible scheme was found.",
        ),
    ),
    Pattern(
        name="quantization-wants-dtype",
        category="unsupported-dtype",
        texts=(
            "{found} is not supported for quantization method {method:name}",
            "[AWQ|GPTQ|awq|gptq|GGUF] {...}only support[s|] {...}[float16|half|fp16|torch.float16]",
        ),
        op="model load",
        library="vllm",
        implies=("settings-disagree",),
        examples=(
            (
                "ValueError: torch.bfloat16 is not supported for quantization method awq. Supported dtypes: "
                "[torch.float16]"
            ),
        ),
    ),
)
