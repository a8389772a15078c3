"""vLLM's server and its `LLM(…)`: the dtype of weights and activations, of the key-value cache, and a quantizer."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.frozen import replace
from ...core.regex import regex
from ..checkpoint import checkpoint
from ..conflict import Conflict
from ..deciding import chosen
from ..facts import Facts, Need
from ..run import Run
from ..system import Key, Number, Setting, System, Text
from ..table import Cell, Component, dtype, frozen
from ..view import View

_CONFIG = "vllm/config/model.py ModelConfig, ModelDType; 0.33"
_CACHES = (
    "auto", "float16", "bfloat16", "fp8", "fp8_e4m3", "fp8_e5m2", "fp8_inc", "fp8_ds_mla", "nvfp4_ds_mla",
    "turboquant_k8v4", "turboquant_4bit_nc", "turboquant_k3v4_nc", "turboquant_3bit_nc", "octave_k3v4", "octave_k3v3",
    "octave_k3v3_compact", "ultraquant_4bit", "int4_per_token_head", "int8_per_token_head", "fp8_per_token_head",
    "nvfp4", "nvfp4_4over6",
)  # fmt: skip
DTYPES = ("auto", "half", "float16", "bfloat16", "float", "float32")

KEYS = (
    Key(name="dtype", allowed=(*DTYPES, *(f"torch.{name}" for name in ("float16", "bfloat16", "float32"))),
        default="auto",
        rejects="argparse: invalid choice: {value!r} (choose from auto, half, float16, bfloat16, float, float32)",
        makes=True,
        means="weights and activations; auto: the checkpoint's, but bfloat16 (before Ampere float16) for float32",
        source=_CONFIG),
    Key(name="kv_cache_dtype", allowed=_CACHES, default="auto", rejects="ValueError: Invalid kv_cache_dtype: {value!r}",
        grows=True, source="vllm/config/cache.py CacheDType, 0.33"),
    Text(name="attention_backend", source="vllm/platforms/cuda.py get_attn_backend_cls, 0.33"),
    Text(name="quantization", default=None, source="vllm/model_executor/layers/quantization/__init__.py, 0.33"),
    Number(name="tensor_parallel_size", default=1, aliases=("tp",), source="vllm/engine/arg_utils.py, 0.33"),
    Text(name="model", aliases=("@0",), source=_CONFIG),
)
_OTHERS = frozenset(
    "host port max_model_len gpu_memory_utilization trust_remote_code served_model_name enable_lora max_num_seqs "
    "pipeline_parallel_size enforce_eager download_dir tokenizer seed api_key load_format".split()
)


_QUANTIZED = (
    ("fp_quant", (10, 0)),
    ("mxfp4", (8, 0)),
    ("gpt_oss_mxfp4", (8, 0)),
    ("experts_int8", (8, 0)),
    ("fbgemm_fp8", (8, 0)),
    ("awq", (7, 5)),
    ("auto_awq", (7, 5)),
    ("awq_marlin", (7, 5)),
    ("fp8", (7, 5)),
    ("torchao", (7, 5)),
    ("humming", (7, 5)),
    ("compressed-tensors", (7, 0)),
    ("moe_wna16", (7, 0)),
    ("quark", (7, 0)),
)
"""`get_min_capability` of each method, vllm/model_executor/layers/quantization/, 0.33; GPTQ and INC run on a P100."""
_PACKED = regex(r"(?:^|/)gpt-oss-(?:20|120)b$")
"""Models with a checkpoint in mxfp4."""
_REFUSED = (
    "ValueError: The quantization method {} is not supported for the current GPU. Minimum capability: {{needs}}. "
    "Current capability: {{has}}."
)


_NO_TRITON = (
    "ValueError: FP8 KV cache is not supported by the Triton attention backend …; native FP8 (fp8e4nv) requires SM89+ "
    "(FlashInfer, which serves it from SM80 on in float16 and bfloat16, is not chosen here)"
)
_NO_FLASH = (
    "ValueError: Selected backend AttentionBackendEnum.FLASH_ATTN is not valid for this configuration. Reason: … FP8 "
    "KV cache requires FA3 on SM90, FA4 with head_size=512 on SM90, or FA4 on SM100"
)
_NO_BACKEND = "ValueError: No valid attention backend found … FLASHINFER: [compute capability not supported]"


def needs(view: View) -> Iterator[Need]:
    """Yield the capabilities that a quantizer and a float8 cache need (0.33; config/vllm.py, v1/attention/backends)."""
    named, model = view.given("quantization"), view.given("model")
    least = dict(_QUANTIZED).get(view.text("quantization"))
    if named and least:
        yield _packed(named, str(named.value), least)
    elif model and _PACKED.search(str(model.value)):
        yield _packed(model, "gpt_oss_mxfp4", (8, 0))
    cache, kind = view.given("kv_cache_dtype"), view.text("kv_cache_dtype")
    if cache and kind.startswith(("fp8", "nvfp4")):
        capability, error = _of_cache(view, kind)
        yield Need(setting=cache, capability=capability, error=error, help="leave kv_cache_dtype at auto")


def _of_cache(view: View, kind: str) -> tuple[tuple[int, int], str]:
    """Return the capability that a cache in float8 or float4 needs, and the error below it."""
    backend = view.text("attention_backend")
    if backend == "flash_attn":
        return (9, 0), _NO_FLASH
    triton = backend == "triton_attn" or kind == "fp8_per_token_head" or view.text("dtype") in ("float", "float32")
    return (8, 9) if triton else (8, 0), _NO_TRITON if kind.startswith("fp8") else _NO_BACKEND


def _packed(setting: Setting, method: str, least: tuple[int, int]) -> Need:
    return Need(
        setting=setting, capability=least, error=_REFUSED.format(method), help="choose weights in another format"
    )


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the served model and its cache."""
    compute = chosen(view, "dtype")
    if compute.value == "auto":
        compute = checkpoint(view, "model", by=compute.by, why="auto: the checkpoint's dtype")
        if compute.value == "float32":  # a half dtype, which the GPU decides
            compute = replace(compute, value="unknown")
    packed = view.given("quantization")
    weights = Cell(value=str(packed.value), by=packed) if packed and packed.value else compute
    off = Cell(value="off", why="a server runs in the dtype of its weights")
    yield frozen("model", weights=weights, autocast=off)
    cache = view.given("kv_cache_dtype")
    held = Cell(value=dtype(cache.value), by=cache) if cache and cache.value != "auto" else compute
    yield frozen("key-value cache", weights=held, autocast=off)


SYSTEM = System(
    name="vllm", title="vLLM", version="0.33", role="server", source=_CONFIG, keys=KEYS, others=_OTHERS,
    programs=("vllm serve", "vllm.entrypoints.openai.api_server", "vllm.entrypoints.api_server", "LLM"),
    modules=("vllm",), imported=True, effective=effective, unknown_key="argparse: unrecognized arguments",
    facts=Facts(
        needs=needs,
        bfloat16_missing="ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. … "
        "You can use float16 instead by explicitly setting the `dtype` flag in CLI, for example: --dtype=half."
    ),
)


CONFLICTS = (
    Conflict(
        rule="rejected-value", keys=("kv_cache_dtype", "dtype"),
        when=lambda s, _: (
            s.at("kv_cache_dtype", "float16", "bfloat16")
            and dtype(s.get("dtype")) in {"float16", "bfloat16", "float32"} - {s.get("kv_cache_dtype")}
        ),
        says="a cache in {0} is not in the model's dtype, {1}",
        effect='ValueError: kv_cache_dtype="{0}" is incompatible with dtype="{1}". Please set `--kv-cache-dtype` to …',
        help="set kv_cache_dtype to auto", source="vllm/config/vllm.py _reject_mismatched_float_kv_cache, 0.33",
    ),
    Conflict(
        rule="quantization-excludes", keys=("kv_cache_dtype", "quantization"),
        when=lambda s, _: s.at("kv_cache_dtype", "fp8_e5m2") and s.at("quantization", "fp8"),
        says="a cache in {0} is not possible with weights in {1}",
        effect="ValueError: fp8_e5m2 kv-cache is not supported with fp8 checkpoints.",
        help="set kv_cache_dtype to fp8, or to auto on a GPU before Ampere",
        source="vllm/model_executor/layers/attention/attention.py, 0.33",
    ),
    Conflict(
        rule="quantization-excludes", keys=("dtype", "quantization"),
        when=lambda s, run: (
            s.at("quantization", "awq", "gptq", "awq_marlin", "gptq_marlin")
            and s.at("dtype", "float", "float32")
            and not run.on_device("cpu")
        ),
        says="quantization {1} does not support dtype {0}",
        effect="ValueError: torch.float32 is not supported for quantization method {1}. Supported dtypes: "
        "[torch.float16, torch.bfloat16] (bfloat16 too: with gptq until 0.21, with awq until 0.23)",
        help="set dtype to auto, half or bfloat16",
        source="vllm/model_executor/layers/quantization/auto_awq.py, auto_gptq.py get_supported_act_dtypes, 0.33",
    ),
)
