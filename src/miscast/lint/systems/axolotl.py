"""axolotl: one YAML for everything."""

from __future__ import annotations

from collections.abc import Iterator

from ..run import Run
from ..system import Key, System
from ..table import UNKNOWN, Cell, Component, frozen, trained
from ..view import View

_SCHEMA = "axolotl/utils/schemas/config.py"
_RULES = "axolotl/utils/schemas/validation.py"

KEYS = (
    Key(name="bf16", kind="text", default=None, means="bfloat16 autocast; auto: where the GPU has it", source=_SCHEMA),
    Key(name="fp16", kind="bool", source=_SCHEMA, means="float16 autocast with a grad scaler"),
    Key(name="bfloat16", kind="bool", source=_SCHEMA, means="bfloat16 weights, no autocast"),
    Key(name="float16", kind="bool", source=_SCHEMA, means="float16 weights, no autocast"),
    Key(name="fp8", kind="bool", source=_SCHEMA),
    Key(name="fp8_enable_fsdp_float8_all_gather", kind="bool", source=_RULES),
    Key(name="fp8_config.recipe", kind="text", source=_RULES),
    Key(name="tf32", kind="text", source=_SCHEMA),
    Key(name="adapter", kind="text", source="axolotl/utils/schemas/peft.py"),
    Key(name="peft_use_dora", kind="bool", source="axolotl/utils/schemas/peft.py"),
    Key(name="load_in_8bit", kind="bool", default=False, source="axolotl/utils/schemas/peft.py"),
    Key(name="load_in_4bit", kind="bool", default=False, source="axolotl/utils/schemas/peft.py"),
    Key(name="sample_packing", kind="bool", source=_SCHEMA),
    Key(name="attn_implementation", kind="text", source=_SCHEMA),
    Key(name="flash_attention", kind="bool", source=_SCHEMA),
    Key(name="sdp_attention", kind="bool", source=_SCHEMA),
    Key(name="xformers_attention", kind="bool", source=_SCHEMA),
    Key(name="flex_attention", kind="bool", source=_SCHEMA),
    Key(name="flash_optimum", kind="bool", source=f"{_RULES} check_better_transformers"),
    Key(name="fsdp_version", kind="number", default=1, aliases=("fsdp_config.fsdp_version", "fsdp_config.version"),
        source="axolotl/utils/schemas/fsdp.py"),
    Key(name="fsdp_config.offload_params", kind="bool", default=False, aliases=("fsdp_config.fsdp_offload_params",),
        source="axolotl/utils/schemas/fsdp.py"),
    Key(name="fsdp_config.cpu_ram_efficient_loading", kind="bool", default=False,
        aliases=("fsdp_config.fsdp_cpu_ram_efficient_loading",), source="axolotl/utils/schemas/fsdp.py"),
    *(Key(name=name, kind="bool", source="axolotl/utils/schemas/peft.py")
      for name in ("lora_mlp_kernel", "lora_qkv_kernel", "lora_o_kernel")),
    Key(name="lora_modules_to_save", kind="text", aliases=("lora_modules_to_save.0",),
        source="axolotl/utils/schemas/peft.py"),
    Key(name="fp32_norms", kind="bool", source=_SCHEMA),
    Key(name="deepspeed", kind="text", source=_SCHEMA),
    Key(name="base_model", kind="text", source="axolotl/utils/schemas/model.py"),
    Key(name="torch_dtype", kind="text", source="axolotl/utils/schemas/model.py"),
    Key(name="optimizer", kind="text", default="adamw_torch_fused", source="axolotl/utils/schemas/training.py"),
    Key(name="learning_rate", kind="number", source="axolotl/utils/schemas/training.py"),
    Key(name="gradient_checkpointing", kind="text", source=_SCHEMA),
)  # fmt: skip
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
    autocast, weights = Cell(value="off", why="neither bf16 nor fp16"), Cell(value="float32", why="axolotl's default")
    for key, name in (("fp16", "float16"), ("bf16", "bfloat16")):
        if view.at(key, True):
            autocast = Cell(value=name, by=view.given(key))
    if view.at("bf16", "auto", "full") or (view.given("bf16") and autocast.value == "off" and not view.off("bf16")):
        autocast = Cell(value="unknown", by=view.given("bf16"), why="bf16: auto asks the GPU")
    for key, name in (("float16", "float16"), ("bfloat16", "bfloat16")):
        if view.on(key):
            weights = Cell(value=name, by=view.given(key))
    if weights.by is None and autocast.value != "off":
        weights = Cell(value=autocast.value, by=autocast.by, why="torch_dtype follows bf16 and fp16 (normalize_config)")
    attention = view.entry("attn_implementation", "flash_attention", "sdp_attention")
    kernel = Cell(value="flash" if flash(view) else "sdpa" if sdpa(view) else "unknown", by=attention)
    if view.given("adapter"):
        held = weights
        for key, name in (("load_in_8bit", "int8"), ("load_in_4bit", "4-bit")):
            if view.on(key):
                held = Cell(value=name, by=view.given(key))
        yield trained(
            "adapter",
            weights=Cell(
                value="float32", by=view.given("adapter"), why="peft raises half adapters (autocast_adapter_dtype)"
            ),
            autocast=autocast,
            attention=kernel,
        )
        yield frozen("base model", weights=held, autocast=autocast, attention=kernel)
    else:
        yield trained("model", weights=weights, autocast=autocast, attention=kernel if attention else UNKNOWN)


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
)  # fmt: skip
