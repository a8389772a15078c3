"""vLLM's server and its `LLM(…)`: the dtype of weights and activations, of the key-value cache, and a quantizer."""

from __future__ import annotations

from collections.abc import Iterator

from ..deciding import chosen
from ..facts import Facts
from ..run import Run
from ..system import Key, Number, System, Text
from ..table import Cell, Component, dtype, frozen
from ..view import View

_CONFIG = "vllm/config/model.py ModelConfig, ModelDType; 0.33"
DTYPES = ("auto", "half", "float16", "bfloat16", "float", "float32")

KEYS = (
    Key(
        name="dtype",
        allowed=(*DTYPES, *(f"torch.{name}" for name in ("float16", "bfloat16", "float32"))),
        default="auto",
        rejects="argparse: invalid choice: {value!r} (choose from auto, half, float16, bfloat16, float, float32)",
        makes=True,
        means="weights and activations; auto: the checkpoint's, for float32 bfloat16 from Ampere on, else float16",
        source=_CONFIG,
    ),
    Text(name="kv_cache_dtype", default="auto", source="vllm/config/cache.py CacheDType, 0.33"),
    Text(name="quantization", default=None, source="vllm/model_executor/layers/quantization/__init__.py, 0.33"),
    Number(name="tensor_parallel_size", default=1, aliases=("tp",), source="vllm/engine/arg_utils.py, 0.33"),
    Text(name="model", source=_CONFIG),
)
_OTHERS = frozenset(
    "host port max_model_len gpu_memory_utilization trust_remote_code served_model_name enable_lora max_num_seqs "
    "pipeline_parallel_size enforce_eager download_dir tokenizer seed api_key load_format".split()
)


def effective(view: View, run: Run) -> Iterator[Component]:
    """What is served: nothing is trained."""
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
        bfloat16_missing="ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. … "
        "You can use float16 instead by explicitly setting the `dtype` flag in CLI, for example: --dtype=half."
    ),
)
