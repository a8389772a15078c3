"""vLLM's server and its `LLM(…)`: the dtype of weights and activations, of the key-value cache, and a quantizer."""

from __future__ import annotations

from collections.abc import Iterator

from ...regex import regex
from ..conflict import Conflict
from ..deciding import chosen
from ..facts import Facts, Need
from ..run import Run
from ..system import Key, Number, Setting, System, Text
from ..table import Cell, Component, dtype, frozen
from ..view import View

_CONFIG = "vllm/config/model.py ModelConfig, ModelDType; 0.33"
DTYPES = ("auto", "half", "float16", "bfloat16", "float", "float32")

KEYS = (
    Key(name="dtype", allowed=(*DTYPES, *(f"torch.{name}" for name in ("float16", "bfloat16", "float32"))),
        default="auto",
        rejects="argparse: invalid choice: {value!r} (choose from auto, half, float16, bfloat16, float, float32)",
        makes=True,
        means="weights and activations; auto: the checkpoint's, but bfloat16 (before Ampere float16) for float32",
        source=_CONFIG),
    Text(name="kv_cache_dtype", default="auto", source="vllm/config/cache.py CacheDType, 0.33"),
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


def needs(view: View) -> Iterator[Need]:
    """Yield the capabilities that a quantizer and a float8 cache need (0.33; config/vllm.py, v1/attention/backends)."""
    named, model = view.given("quantization"), view.given("model")
    least = dict(_QUANTIZED).get(view.text("quantization"))
    if named and least:
        yield _packed(named, str(named.value), least)
    elif model and _PACKED.search(str(model.value)):
        yield _packed(model, "gpt_oss_mxfp4", (8, 0))
    cache = view.given("kv_cache_dtype")
    if cache and view.text("kv_cache_dtype").startswith("fp8"):
        yield Need(
            setting=cache,
            capability=(8, 0),
            error="ValueError: FP8 KV cache is not supported by the Triton attention backend …; native FP8 (fp8e4nv) "
            "requires SM89+ (FlashInfer, which serves it from SM80 on, is not chosen here)",
            help="leave kv_cache_dtype at auto",
        )


def _packed(setting: Setting, method: str, least: tuple[int, int]) -> Need:
    return Need(
        setting=setting, capability=least, error=_REFUSED.format(method), help="choose weights in another format"
    )


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the served model and its cache."""
    compute = chosen(view, "dtype")
    if compute.value == "auto":
        compute = Cell(value="unknown", by=compute.by, why="auto: the checkpoint's dtype")
    packed = view.given("quantization")
    weights = Cell(value=str(packed.value), by=packed) if packed and packed.value else compute
    off = Cell(value="off", why="a server runs in the dtype of its weights")
    yield frozen("model", weights=weights, autocast=off)
    cache = view.given("kv_cache_dtype")
    held = Cell(value=dtype(cache.value), by=cache) if cache and cache.value != "auto" else compute
    yield frozen("key-value cache", weights=held, autocast=off)


SYSTEM = System(
    name="vllm",
    title="vLLM",
    version="0.33",
    source=_CONFIG,
    role="server",
    keys=KEYS,
    others=_OTHERS,
    programs=("vllm serve", "vllm.entrypoints.openai.api_server", "vllm.entrypoints.api_server", "LLM"),
    modules=("vllm",),
    imported=True,
    effective=effective,
    unknown_key="argparse: unrecognized arguments",
    facts=Facts(
        needs=needs,
        bfloat16_missing="ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. … "
        "You can use float16 instead by explicitly setting the `dtype` flag in CLI, for example: --dtype=half."
    ),
)


CONFLICTS = (
    Conflict(
        rule="quantization-excludes",
        keys=("dtype", "quantization"),
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
