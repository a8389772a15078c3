"""axolotl: one YAML for all settings."""

from __future__ import annotations

from collections.abc import Iterator

from ....core.frozen import replace
from ...deciding import switched
from ...facts import Facts, Halves
from ...parts import stepped
from ...prepared import Prepared, prepared
from ...run import Run
from ...sharding import flattened, sharded
from ...system import Number, Setting, Switch, System, Text
from ...table import UNKNOWN, Cell, Component, frozen
from ...view import View
from .. import deepspeed

_SCHEMA = "axolotl/utils/schemas/config.py"
_RULES = "axolotl/utils/schemas/validation.py"
_DTYPE = "resolve_dtype (utils/config/__init__.py)"
_SHARDING = (
    "auto_wrap_policy", "transformer_layer_cls_to_wrap", "state_dict_type", "reshard_after_forward",
    "activation_checkpointing", "sync_module_states", "use_orig_params", "min_num_params",
)  # fmt: skip
_KERNELS = {
    "flash_attention": "flash_attention_2", "sdp_attention": "sdpa", "xformers_attention": "xformers",
    "flex_attention": "flex_attention", "eager_attention": "eager",
}  # fmt: skip

KEYS = (
    Text(name="bf16", default="auto", means="bfloat16 autocast; auto: where the GPU has it", source=_SCHEMA),
    Switch(name="fp16", default=None, source=_SCHEMA, means="float16 autocast with a grad scaler"),
    Switch(name="bfloat16", default=None, source=_SCHEMA, means="bfloat16 weights, and autocast"),
    Switch(name="float16", default=None, source=_SCHEMA, means="float16 weights, no autocast"),
    Switch(name="fp8", default=None, source=_SCHEMA),
    Switch(name="fp8_enable_fsdp_float8_all_gather", default=None, source=_RULES),
    Text(name="fp8_config.recipe", source=_RULES),
    Text(name="tf32", default="auto", means="auto: where the GPU has it", source=_SCHEMA),
    Text(name="adapter", source="axolotl/utils/schemas/peft.py"),
    Switch(name="peft_use_dora", default=None, source="axolotl/utils/schemas/peft.py"),
    Switch(name="load_in_8bit", source="axolotl/utils/schemas/peft.py"),
    Switch(name="load_in_4bit", source="axolotl/utils/schemas/peft.py"),
    Switch(name="sample_packing", default=None, source=_SCHEMA),
    Text(name="attn_implementation", source=_SCHEMA),
    Switch(name="eager_attention", default=None, source=_SCHEMA),
    Switch(name="cut_cross_entropy", default=None, source="axolotl/integrations/cut_cross_entropy"),
    Switch(name="flash_attention", default=None, source=_SCHEMA),
    Switch(name="sdp_attention", default=None, source=_SCHEMA),
    Switch(name="xformers_attention", default=None, source=_SCHEMA),
    Switch(name="flex_attention", default=None, source=_SCHEMA),
    Switch(name="flash_optimum", default=None, source=f"{_RULES} check_better_transformers"),
    Text(name="fsdp", aliases=("fsdp.0",), source=_SCHEMA),
    *(
        Text(name=f"fsdp_config.{key}", aliases=(f"fsdp_config.fsdp_{key}",), source="axolotl/utils/schemas/fsdp.py")
        for key in _SHARDING
    ),
    Number(name="fsdp_version", default=1, aliases=("fsdp_config.fsdp_version", "fsdp_config.version"),
           source="axolotl/utils/schemas/fsdp.py"),
    Switch(name="fsdp_config.offload_params", aliases=("fsdp_config.fsdp_offload_params",),
           source="axolotl/utils/schemas/fsdp.py"),
    Switch(name="fsdp_config.cpu_ram_efficient_loading", aliases=("fsdp_config.fsdp_cpu_ram_efficient_loading",),
           source="axolotl/utils/schemas/fsdp.py"),
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
    """Check whether attention uses a flash library's kernels."""
    named = view.text("attn_implementation")
    return view.on("flash_attention") or "flash" in named or view.on("xformers_attention") or view.on("flex_attention")


def sdpa(view: View) -> bool:
    """Check whether attention is torch's scaled_dot_product_attention."""
    return view.on("sdp_attention") or view.text("attn_implementation") == "sdpa"


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the model, or its adapter and the frozen base, as accelerate prepares them."""
    autocast, loaded = mixed(view, run), weights(view, run)
    flags = {"attention": _kernel(view), "tf32": _tf32(view, run)}
    if not view.given("adapter"):
        held = prepared(run, _embedded(view, loaded), autocast)
        held = stepped(view, "optimizer", _as_loaded(run, held, loaded))
        whole = _buffered(held).component("model", **flags)
        yield _partitioned(run, whole) if deepspeed.stage(run) == 3 else whole
        return
    raised = Cell(
        value="float32", by=view.given("adapter"), why="peft raises half-precision adapters (autocast_adapter_dtype)"
    )
    held = stepped(view, "optimizer", prepared(run, raised, autocast))
    if held.plain and held.autocast.value == "off":
        held = replace(held, outputs=Cell(value=loaded.value, by=loaded.by, why="the frozen head's"))
    yield held.component("adapter", **flags)
    flat = flattened(run) is not None and held.compute is not None
    if held.plain or flat:
        base = frozen("base model", weights=_quantized(view, loaded), autocast=held.autocast, **flags)
        # FSDP1's policy has buffers cast as well
        yield replace(base, buffers=held.buffers) if flat and held.buffers else base


def _quantized(view: View, loaded: Cell) -> Cell:
    """Return the frozen weights; embeddings, norms and the head are not quantized."""
    base = switched(view, {"load_in_4bit": "4-bit", "load_in_8bit": "int8"})
    if base is None or loaded.value == "unknown":
        return base or loaded
    return replace(base, value=", ".join(sorted((base.value, loaded.value))))


def mixed(view: View, run: Run) -> Cell:
    """Return the Trainer's autocast: bf16 takes precedence over fp16, and `bfloat16` switches it on too."""
    found = _half(view, run)
    if found.value != "off":
        return found
    full = switched(view, {"bfloat16": "bfloat16"})
    return full or found


def weights(view: View, run: Run) -> Cell:
    """Return the dtype that the weights are loaded in: the half dtype that is set, with or without autocast."""
    found = mixed(view, run)
    if found.value != "off":
        return replace(found, why=found.why or f"the weights follow: {_DTYPE}")
    own = switched(view, {"load_in_8bit": "float16", "float16": "float16"})
    return own or Cell(value="float32", why=f"no half dtype is set: {_DTYPE}")


def _half(view: View, run: Run) -> Cell:
    """Return the dtype by bf16 and fp16; `bf16: auto`, the default, depends on the GPU unless fp16 is on."""
    if view.on("fp16") and (view.off("bf16") or view.at("bf16", "auto")):
        return Cell(value="float16", by=view.given("fp16"))
    setting = view.given("bf16")
    if view.at("bf16", True, "true", "True"):
        return Cell(value="bfloat16", by=setting)
    if view.off("bf16") or view.at("bf16", "false", "False"):
        return Cell(value="off", by=setting)
    if not view.at("bf16", "auto") or run.machine is None:
        return Cell(value="unknown", by=setting, why="bf16: auto, the default, depends on the GPU")
    if not run.on_device("cpu"):
        return Cell(value="bfloat16", by=setting, why=f"bf16: auto, on {run.machine.name}")
    if view.get("fp16") is None and not view.on("float16"):
        return Cell(value="float16", by=setting, why="bf16: auto, on a CPU")
    return Cell(value="off", by=setting, why="bf16: auto, on a CPU")


def _embedded(view: View, loaded: Cell) -> Cell:
    """Return the weights in full training: embeddings and norms are raised, except with FSDP or some kernels."""
    cast = flash(view) or view.on("cut_cross_entropy")
    if loaded.value not in ("float16", "bfloat16") or cast or shards(view) is not None:
        return loaded
    why = "embeddings and norms are raised (loaders/model.py _configure_embedding_dtypes)"
    return Cell(value=f"{loaded.value}, float32", by=loaded.by, why=why)


def _as_loaded(run: Run, held: Prepared, loaded: Cell) -> Prepared:
    """Return trained weights in the dtype they were loaded in under FSDP2, where accelerate would raise them."""
    found = sharded(run)
    if found is None or found.version != 2 or held.compute is None:
        return held
    why = "axolotl's FSDP2 keeps the dtype (monkeypatch/accelerate/fsdp2.py fsdp2_prepare_model)"
    return replace(held, weights=replace(loaded, why=why), states=None, plain=True)


def _buffered(held: Prepared) -> Prepared:
    """Return buffers cast by the engine: axolotl requires DeepSpeed until 0.18, which casts them."""
    engine = held.states is not None and held.compute is None and not held.plain
    return replace(held, buffers=held.weights) if engine else held


def _partitioned(run: Run, whole: Component) -> Component:
    """Return the row under ZeRO-3: weights are partitioned on loading, in the engine's half dtype if the JSON has it.

    A value of "auto" is filled later, and the engine's cast does not reach the partitions: DeepSpeed 0.18.9.
    """
    engine = run.view("deepspeed")
    if deepspeed.precision(engine).value in ("float16", "bfloat16"):
        half = whole.compute
        return replace(whole, parameters=half, outputs=half)
    auto = next((s for key in ("bf16.enabled", "fp16.enabled") if (s := engine.given(key)) and s.value == "auto"), None)
    value = "float32" if auto else "unknown"
    late = Cell(value=value, by=auto, why="ZeRO-3 partitions the weights before the engine casts them")
    return replace(whole, parameters=late, compute=late, outputs=late)


def _kernel(view: View) -> Cell:
    named = view.given("attn_implementation")
    if named is not None:
        return Cell(value=view.text("attn_implementation") or "unknown", by=named)
    return switched(view, _KERNELS) or UNKNOWN


def _tf32(view: View, run: Run) -> Cell:
    """Return TF32: on if the GPU has it, unless it is switched off."""
    setting = view.given("tf32")
    if view.text("tf32") in ("true", "false"):
        return Cell(value="on" if view.text("tf32") == "true" else "off", by=setting)
    if run.machine is None or not view.at("tf32", "auto"):
        return Cell(value="unknown", by=setting, why="tf32: auto, the default, depends on the GPU")
    has = run.machine.support("tf32") == "native"
    return Cell(value="on" if has else "off", by=setting, why=f"tf32: auto, on {run.machine.name}")


def shards(view: View) -> Setting | None:
    """Return the setting that switches FSDP on; its section is enough."""
    keys = ("fsdp", *(f"fsdp_config.{key}" for key in _SHARDING), "fsdp_config.offload_params",
            "fsdp_config.cpu_ram_efficient_loading")  # fmt: skip
    given = (setting for key in keys if (setting := view.given(key)))
    return next((setting for setting in given if setting.value not in (None, "")), None)


def halves(view: View) -> Halves:
    """Return the `fp16` and `bf16` that the Trainer gets; None if the GPU decides."""
    asked = view.at("bf16", True, "true", "True") or view.on("bfloat16")
    off = view.off("bf16") or view.at("bf16", "false", "False") or view.on("fp16")
    return {"fp16": view.on("fp16") and not asked, "bf16": asked or (False if off else None)}


SYSTEM = System(
    name="axolotl", title="axolotl", version="0.19.0",
    source=f"{_SCHEMA}, {_RULES}",
    keys=KEYS,
    others=_OTHERS,
    marks=(("base_model", "datasets."), ("base_model", "micro_batch_size"), ("base_model", "sequence_len"),
           ("base_model", "sample_packing"), ("base_model", "adapter"), ("base_model", "bf16"), ("base_model", "fp16")),
    programs=("axolotl train",),
    effective=effective,
    facts=Facts(own_program=True, fills_auto=True, halves=halves, shards=shards,
                fp8_missing="ValueError: fp8 requested, but fp8 is not supported on this GPU"),
)  # fmt: skip
