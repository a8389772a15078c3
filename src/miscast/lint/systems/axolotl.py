"""axolotl: one YAML for everything."""

from __future__ import annotations

from collections.abc import Iterator

from ..deciding import switched
from ..facts import Facts
from ..run import Run
from ..system import Number, Switch, System, Text
from ..table import UNKNOWN, Cell, Component, frozen, trained
from ..view import View
from . import transformers

_SCHEMA = "axolotl/utils/schemas/config.py"
_RULES = "axolotl/utils/schemas/validation.py"

KEYS = (
    Text(name="bf16", default=None, means="bfloat16 autocast; auto: where the GPU has it", source=_SCHEMA),
    Switch(name="fp16", default=None, source=_SCHEMA, means="float16 autocast with a grad scaler"),
    Switch(name="bfloat16", default=None, source=_SCHEMA, means="bfloat16 weights, no autocast"),
    Switch(name="float16", default=None, source=_SCHEMA, means="float16 weights, no autocast"),
    Switch(name="fp8", default=None, source=_SCHEMA),
    Switch(name="fp8_enable_fsdp_float8_all_gather", default=None, source=_RULES),
    Text(name="fp8_config.recipe", source=_RULES),
    Text(name="tf32", source=_SCHEMA),
    Text(name="adapter", source="axolotl/utils/schemas/peft.py"),
    Switch(name="peft_use_dora", default=None, source="axolotl/utils/schemas/peft.py"),
    Switch(name="load_in_8bit", source="axolotl/utils/schemas/peft.py"),
    Switch(name="load_in_4bit", source="axolotl/utils/schemas/peft.py"),
    Switch(name="sample_packing", default=None, source=_SCHEMA),
    Text(name="attn_implementation", source=_SCHEMA),
    Switch(name="flash_attention", default=None, source=_SCHEMA),
    Switch(name="sdp_attention", default=None, source=_SCHEMA),
    Switch(name="xformers_attention", default=None, source=_SCHEMA),
    Switch(name="flex_attention", default=None, source=_SCHEMA),
    Switch(name="flash_optimum", default=None, source=f"{_RULES} check_better_transformers"),
    Number(
        name="fsdp_version",
        default=1,
        aliases=("fsdp_config.fsdp_version", "fsdp_config.version"),
        source="axolotl/utils/schemas/fsdp.py",
    ),
    Switch(
        name="fsdp_config.offload_params",
        aliases=("fsdp_config.fsdp_offload_params",),
        source="axolotl/utils/schemas/fsdp.py",
    ),
    Switch(
        name="fsdp_config.cpu_ram_efficient_loading",
        aliases=("fsdp_config.fsdp_cpu_ram_efficient_loading",),
        source="axolotl/utils/schemas/fsdp.py",
    ),
    *(
        Switch(name=name, default=None, source="axolotl/utils/schemas/peft.py")
        for name in ("lora_mlp_kernel", "lora_qkv_kernel", "lora_o_kernel")
    ),
    Text(name="lora_modules_to_save", aliases=("lora_modules_to_save.0",), source="axolotl/utils/schemas/peft.py"),
    Switch(name="fp32_norms", default=None, source=_SCHEMA),
    Text(name="deepspeed", source=_SCHEMA),
    Text(name="base_model", source="axolotl/utils/schemas/model.py"),
    Text(name="torch_dtype", source="axolotl/utils/schemas/model.py"),
    Text(name="optimizer", default="adamw_torch_fused", source="axolotl/utils/schemas/training.py"),
    Number(name="learning_rate", source="axolotl/utils/schemas/training.py"),
    Text(name="gradient_checkpointing", source=_SCHEMA),
)
_OTHERS = frozenset(
    "datasets output_dir sequence_len num_epochs micro_batch_size gradient_accumulation_steps lora_r lora_alpha "
    "val_set_size lr_scheduler lora_target_linear lora_target_modules lora_dropout dataset_prepared_path warmup_ratio "
    "wandb_project special_tokens model_type tokenizer_type weight_decay fsdp fsdp_config eval_sample_packing".split()
)


def flash(view: View) -> bool:
    """Whether attention runs in a flash library's kernels."""
    named = view.text("attn_implementation")
    return view.on("flash_attention") or "flash" in named or view.on("xformers_attention") or view.on("flex_attention")


def sdpa(view: View) -> bool:
    """Whether attention is torch's scaled_dot_product_attention."""
    return view.on("sdp_attention") or view.text("attn_implementation") == "sdpa"


def effective(view: View, run: Run) -> Iterator[Component]:
    """The model, or its adapter and the frozen base."""
    autocast = _autocast(view)
    weights = _weights(view, autocast)
    attention = view.entry("attn_implementation", "flash_attention", "sdp_attention")
    kernel = Cell(value="flash" if flash(view) else "sdpa" if sdpa(view) else "unknown", by=attention)
    adapter = view.given("adapter")
    if not adapter:
        yield trained("model", weights=weights, autocast=autocast, attention=kernel if attention else UNKNOWN)
        return
    raised = Cell(value="float32", by=adapter, why="peft raises half adapters (autocast_adapter_dtype)")
    held = switched(view, {"load_in_4bit": "4-bit", "load_in_8bit": "int8"}) or weights
    yield trained("adapter", weights=raised, autocast=autocast, attention=kernel)
    yield frozen("base model", weights=held, autocast=autocast, attention=kernel)


def _autocast(view: View) -> Cell:
    found = switched(view, {"bf16": "bfloat16", "fp16": "float16"})
    setting = view.given("bf16")
    if view.at("bf16", "auto", "full") or (found is None and setting and not view.off("bf16")):
        return Cell(value="unknown", by=setting, why="bf16: auto asks the GPU")
    return found or Cell(value="off", why="neither bf16 nor fp16")


def _weights(view: View, autocast: Cell) -> Cell:
    if own := switched(view, {"bfloat16": "bfloat16", "float16": "float16"}):
        return own
    if autocast.value == "off":
        return Cell(value="float32", why="axolotl's default")
    return Cell(value=autocast.value, by=autocast.by, why="torch_dtype follows bf16 and fp16 (normalize_config)")


SYSTEM = System(
    name="axolotl",
    title="axolotl",
    version="0.19.0",
    source=f"{_SCHEMA}, {_RULES}",
    keys=KEYS,
    others=_OTHERS,
    marks=(("base_model", "datasets."), ("base_model", "micro_batch_size"), ("base_model", "sequence_len"),
           ("base_model", "sample_packing"), ("base_model", "adapter"), ("base_model", "bf16"), ("base_model", "fp16")),
    programs=("axolotl train",),
    effective=effective,
    facts=Facts(fills_auto=True, halves=transformers.halves, shards_8bit=True,
                fp8_missing="ValueError: fp8 requested, but fp8 is not supported on this GPU"),
)  # fmt: skip
