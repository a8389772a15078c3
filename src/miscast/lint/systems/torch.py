"""torch's own switches in code: `torch.autocast(…)`, `GradScaler(…)`, `torch.backends…`, quantization, adapters."""

from __future__ import annotations

from collections.abc import Iterator

from ..calls import adapted, calls, loaded
from ..conflict import Check
from ..contradiction import Contradiction
from ..messages import SCALER, UNSCALE, UNSCALED
from ..run import Run
from ..setting import named_dtype
from ..sharding import sharded
from ..system import Setting, Switch, System, Text
from ..view import View
from . import accelerate, deepspeed

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
    Text(name="bnb_4bit_compute_dtype", default="float32", source="transformers/utils/quantization_config.py, 5.23.0",
         makes=True),
    Text(name="bnb_4bit_quant_storage", default="uint8", source="transformers/utils/quantization_config.py, 5.23.0"),
    Text(name="param_dtype", source="torch/distributed/fsdp/_fully_shard/_fsdp_api.py, 2.13.0", makes=True),
    Text(name="reduce_dtype", source="torch/distributed/fsdp/_fully_shard/_fsdp_api.py, 2.13.0"),
    Text(name="buffer_dtype", source="torch/distributed/fsdp/api.py, 2.13.0"),
    Switch(name="use_orig_params", source="torch/distributed/fsdp, 2.13.0"),
)

SYSTEM = System(
    name="torch", title="torch and its libraries, in code", version="2.13.0", role="library",
    source="torch/amp, torch/backends, torch/distributed/fsdp; transformers; peft", keys=_KEYS,
    programs=("autocast", "GradScaler", "ShardedGradScaler", "from_pretrained", "backward", "BitsAndBytesConfig",
              "LoraConfig", "AdaLoraConfig", "get_peft_model", "prepare_model_for_kbit_training", "MixedPrecision",
              "MixedPrecisionPolicy", "FullyShardedDataParallel", "FSDP", "fully_shard", "set_float32_matmul_precision",
              "allow_tf32", "fp32_precision", "allow_fp16_reduced_precision_reduction",
              "allow_bf16_reduced_precision_reduction", "deepspeed.initialize"),
)


def _autocast_to_float32(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield regions that disable themselves: only CUDA's autocast takes float32."""
    for region in calls(run, "autocast"):
        setting = region.given("dtype")
        device = "cpu" if ".cpu." in region.documents[0].name else region.text("device_type")
        if setting and device in ("cpu", "mps", "xpu") and named_dtype(setting.value) == "float32":
            yield Contradiction(
                says=f"autocast to float32 disables itself on {device}", settings=(setting,), severity="warning",
                effect="silent: In CPU autocast, but the target dtype is not supported. Disabling autocast. "
                "Half-precision weights then raise: mat1 and mat2 must have the same dtype",
                help="drop the autocast, and cast the model: model.float()",
            )


def _policy_without_scaler(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield FSDP policies that compute in float16, in a program without a grad scaler."""
    shards = any(calls(run, "fully_shard", "FSDP", "FullyShardedDataParallel"))
    if not shards or any(calls(run, "GradScaler")) or run.view("lightning"):
        return
    for call in calls(run):
        setting = call.given("param_dtype")
        if setting is not None and named_dtype(setting.value) == "float16":
            yield Contradiction(
                says=f"{setting.document.name} computes in float16, and the program has no grad scaler",
                settings=(setting,), severity="warning", effect=UNSCALED,
                help="use param_dtype=torch.bfloat16, or torch.distributed.fsdp's ShardedGradScaler",
            )


def _reduction(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield FSDP policies that reduce bfloat16 or float32 gradients in float16."""
    for call in calls(run):
        param, reduce = call.given("param_dtype"), call.given("reduce_dtype")
        if param is None or reduce is None or named_dtype(reduce.value) != "float16":
            continue
        if (own := named_dtype(param.value)) in ("bfloat16", "float32"):
            yield Contradiction(
                says=f"parameters are {own}, gradients are reduced in float16", settings=(reduce, param),
                severity="warning", effect="silent: sums above 65504 become infinite on every rank",
                help="use reduce_dtype=torch.float32",
            )


def _loaded_in_half(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield `from_pretrained(…, dtype=torch.float16)` in a program whose Trainer or Accelerator uses a grad scaler."""
    setting, scaler, saved = loaded(run), _scaler(run), _saved(view)
    half = named_dtype(setting.value) if setting else ""
    if setting is None or scaler is None or half not in UNSCALE or (saved is None and adapted(run)):
        return
    raised = deepspeed.stage(run) is not None or sharded(run)
    launched = scaler.document in run.view("accelerate").documents
    together = launched or setting.document.file == scaler.document.file
    if together and not raised and not run.on_device("cpu"):
        what = f"modules_to_save of a {half} model are trained" if saved else f"the model is loaded in {half}"
        yield Contradiction(
            says=f"{what}, and fp16 uses a grad scaler", settings=(setting, scaler, saved), effect=UNSCALE[half],
            help="load it in float32: fp16 computes in float16 anyway",
        )


def _saved(view: View) -> Setting | None:
    """Return the setting of modules that an adapter trains as a whole."""
    kept = view.given("modules_to_save")
    return kept if kept is not None and kept.value is not None else None


def _scaler(run: Run) -> Setting | None:
    """Return the setting by which a call creates a grad scaler."""
    launcher = run.view("accelerate")
    setting = accelerate.mixed(launcher, run).by
    if setting and setting.value == "fp16" and "call" in {document.origin for document in launcher.documents}:
        trains = setting.document.origin == "call" or any(calls(run, "backward"))
        if trains:
            return setting
    for view in run.family("transformers"):
        if "use_peft" in view.system.by_name and view.on("fp16") and view.off("use_peft"):
            return view.given("fp16")
    return None


CONFLICTS = (
    Check(
        rule="float16-without-loss-scaling", search=_policy_without_scaler,
        source="torch/distributed/fsdp/_fully_shard/_fsdp_api.py, 2.13.0",
    ),
    Check(rule="float32-autocast-is-off", search=_autocast_to_float32, source="torch/amp/autocast_mode.py, 2.13.0"),
    Check(rule="half-parameters-under-grad-scaler", search=_loaded_in_half, source=SCALER),
    Check(
        rule="reduction-overflows", search=_reduction,
        source="torch/distributed/fsdp/_fully_shard/_fsdp_api.py, 2.13.0",
    ),
)
