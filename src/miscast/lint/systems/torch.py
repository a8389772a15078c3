"""torch's own switches in code: `torch.autocast(…)`, `GradScaler(…)`, `torch.backends…`, quantization, adapters."""

from __future__ import annotations

from collections.abc import Iterator

from ..setting import Document
from ..system import Setting, Switch, System, Text
from ..view import View

_KEYS = (
    Text(name="pretrained_model_name_or_path", aliases=("@0",), source="transformers/modeling_utils.py, 5.23.0"),
    Text(name="device_type", source="torch/amp/autocast_mode.py, 2.13.0"),
    Text(name="dtype", aliases=("torch_dtype",), source="torch/amp/autocast_mode.py, 2.13.0", makes=True),
    Switch(name="enabled", default=True, source="torch/amp/autocast_mode.py, 2.13.0"),
    Text(name="value", source="torch/backends/cuda/__init__.py, 2.13.0"),
    Text(name="precision", source="torch.set_float32_matmul_precision, 2.13.0"),
    Text(name="attn_implementation", source="transformers/modeling_utils.py, 5.23.0"),
    Switch(name="autocast_adapter_dtype", default=True, source="peft/mapping_func.py, 0.21.2"),
    Switch(name="use_dora", source="peft/tuners/lora/config.py, 0.21.2"),
    Text(name="modules_to_save", aliases=("modules_to_save.0",), source="peft/tuners/lora/config.py, 0.21.2"),
    Switch(name="load_in_4bit", source="transformers/utils/quantization_config.py, 5.23.0"),
    Switch(name="load_in_8bit", source="transformers/utils/quantization_config.py, 5.23.0"),
    Text(
        name="bnb_4bit_compute_dtype",
        default="float32",
        source="transformers/utils/quantization_config.py, 5.23.0",
        makes=True,
    ),
    Text(name="bnb_4bit_quant_storage", default="uint8", source="transformers/utils/quantization_config.py, 5.23.0"),
    Text(name="param_dtype", source="torch/distributed/fsdp/_fully_shard/_fsdp_api.py, 2.13.0", makes=True),
    Text(name="reduce_dtype", source="torch/distributed/fsdp/_fully_shard/_fsdp_api.py, 2.13.0"),
    Text(name="buffer_dtype", source="torch/distributed/fsdp/api.py, 2.13.0"),
    Switch(name="use_orig_params", source="torch/distributed/fsdp, 2.13.0"),
)

TF32_ON = (True, "high", "medium", "tf32")
TF32_OFF = (False, "highest", "ieee")
"""The values of torch's switches; "medium" is TF32 on CUDA too (torch.set_float32_matmul_precision)."""


def is_tf32_switch(document: Document) -> bool:
    """Whether code says something of TF32 there."""
    return document.name.endswith(("allow_tf32", "fp32_precision", "set_float32_matmul_precision"))


def tf32_switches(view: View) -> Iterator[Setting]:
    """What code says of TF32: `allow_tf32 = …`, `fp32_precision = …`, `set_float32_matmul_precision(…)`."""
    for document in view.documents:
        if is_tf32_switch(document):
            for entry in document.entries[:1]:
                yield Setting(key=view.system.by_name["value"], entry=entry, document=document)


SYSTEM = System(
    name="torch",
    title="torch and its libraries, in code",
    version="2.13.0",
    source="torch/amp, torch/backends, torch/distributed/fsdp; transformers; peft",
    role="library",
    keys=_KEYS,
    programs=(
        "autocast",
        "GradScaler",
        "ShardedGradScaler",
        "from_pretrained",
        "backward",
        "BitsAndBytesConfig",
        "LoraConfig",
        "AdaLoraConfig",
        "get_peft_model",
        "prepare_model_for_kbit_training",
        "MixedPrecision",
        "MixedPrecisionPolicy",
        "FullyShardedDataParallel",
        "FSDP",
        "fully_shard",
        "set_float32_matmul_precision",
        "allow_tf32",
        "fp32_precision",
        "allow_fp16_reduced_precision_reduction",
        "allow_bf16_reduced_precision_reduction",
        "deepspeed.initialize",
    ),
)
