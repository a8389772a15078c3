"""SGLang's server: the dtype of weights and activations, of the key-value cache, and a quantizer."""

from ...core.frozen import replace
from ..facts import Facts
from ..system import Key, Number, System, Text
from . import vllm

_ARGUMENTS = "sglang/srt/arg_groups/fields/model.py, 0.5.23"
_TOO_OLD = "RuntimeError: SGLang only supports sm75 and above."
_PARALLEL = "sglang/srt/arg_groups/fields/parallel.py, 0.5.23"

SYSTEM = System(
    name="sglang", title="SGLang", version="0.5.23", role="server",
    source=f"{_ARGUMENTS}; sglang/srt/model_executor/model_runner_components/load_model_utils.py",
    keys=(
        replace(vllm.SYSTEM.by_name["dtype"], allowed=vllm.DTYPES, source=_ARGUMENTS),
        Key(name="kv_cache_dtype",
            allowed=("auto", "fp8_e5m2", "fp8_e4m3", "mxfp8", "bf16", "bfloat16", "nvfp4", "fp4_mx_block16"),
            default="auto", rejects="argparse: invalid choice: {value!r}", grows=True, source=_ARGUMENTS),
        Text(name="quantization", default=None, source=_ARGUMENTS),
        Number(name="tensor_parallel_size", default=1, aliases=("tp", "tp_size"), source=_PARALLEL),
        Text(name="model_path", aliases=("model",), source=_ARGUMENTS),
    ),
    others=frozenset(
        "host port mem_fraction_static trust_remote_code context_length served_model_name dp_size chunked_prefill_size "
        "max_running_requests disable_cuda_graph attention_backend".split()
    ),
    programs=("sglang.launch_server", "sglang serve"), effective=vllm.effective,
    unknown_key="argparse: unrecognized arguments",
    facts=Facts(bfloat16_missing="silent: Compute capability below sm80. Use float16 due to lack of bfloat16 support.",
                refuses=lambda machine: _TOO_OLD if (machine.capability or (9, 0)) < (7, 5) else ""),
)
