"""LLaMA-Factory: a YAML or JSON for `llamafactory-cli train`, or its arguments."""

from __future__ import annotations

from collections.abc import Iterator

from ...frozen import replace
from ..deciding import allowed_by
from ..facts import Halves
from ..prepared import prepared
from ..run import Run
from ..system import Key, Number, Switch, System, Text
from ..table import Cell, Component, frozen
from ..view import View
from . import transformers

_PARSER = "llamafactory/hparams/parser.py"
_LACKS = ("half_precision_backend", "torch_dtype", "attn_implementation", "load_in_4bit", "load_in_8bit",
          "bnb_4bit_compute_dtype", "use_peft", "fsdp_config.mixed_precision")  # fmt: skip

KEYS = (
    Switch(
        name="pure_bf16", source="llamafactory/hparams/finetuning_args.py", means="bfloat16 weights without autocast"
    ),
    Switch(name="fp8", source="llamafactory/hparams/training_args.py"),
    Switch(name="fp8_enable_fsdp_float8_all_gather", source=_PARSER),
    Number(name="quantization_bit", source="llamafactory/hparams/model_args.py"),
    Text(name="quantization_method", default="bnb", source="llamafactory/hparams/model_args.py"),
    Key(
        name="infer_dtype",
        allowed=("auto", "float16", "bfloat16", "float32"),
        default="auto",
        rejects="{value!r} is none of auto, float16, bfloat16, float32",
        source="llamafactory/hparams/model_args.py",
        makes=True,
    ),
    Text(name="finetuning_type", default="lora", source="llamafactory/hparams/finetuning_args.py"),
    Text(name="stage", default="sft", source="llamafactory/hparams/finetuning_args.py"),
    Switch(name="do_train", source="transformers"),
    Switch(name="upcast_layernorm", source="llamafactory/hparams/model_args.py"),
    Text(name="flash_attn", default="auto", source="llamafactory/hparams/model_args.py"),
    Switch(name="use_dora", source="llamafactory/hparams/finetuning_args.py"),
    Text(name="image_dir", aliases=("media_dir",), source="llamafactory/hparams/data_args.py"),
)
_OTHERS = frozenset(
    "dataset template cutoff_len overwrite_cache preprocessing_num_workers lora_rank lora_target lora_alpha "
    "trust_remote_code plot_loss val_size max_samples image_max_pixels freeze_vision_tower adapter_name_or_path "
    "double_quantization quantization_type pref_beta pref_loss export_dir export_size infer_backend".split()
)


def effective(view: View, run: Run) -> Iterator[Component]:
    """The model, or an adapter and its base: whatever is said, weights are loaded in the checkpoint's dtype."""
    loaded = Cell(value="unknown", why="the dtype of the checkpoint (model/loader.py: torch_dtype is auto)")
    raised = Cell(value="float32", why="trainable parameters are raised, unless pure_bf16")
    whole = view.text("finetuning_type") == "full" and not view.on("pure_bf16")
    autocast = transformers.mixed(view, run)
    flags = {"attention": transformers.attention(view, "flash_attn"), "tf32": allowed_by(view, "tf32")}
    if view.text("finetuning_type") not in ("lora", "oft"):
        yield prepared(run, raised if whole else loaded, autocast).component("model", **flags)
        return
    own = Cell(value="float32", why="peft raises half adapters (autocast_adapter_dtype)")
    held = prepared(run, own, autocast)
    yield held.component("adapter", **flags)
    bits = view.given("quantization_bit")
    base = Cell(value=f"{bits.entry.text}-bit", by=bits) if bits else loaded
    yield frozen("base model", weights=base, autocast=held.autocast, **flags)


def halves(view: View) -> Halves:
    """The Trainer's, but for fp8: it trains through accelerate's, and ships a JSON with both halves off."""
    return {} if view.on("fp8") else transformers.halves(view)


SYSTEM = System(
    name="llamafactory",
    title="LLaMA-Factory",
    version="0.9.5",
    source=f"{_PARSER}, llamafactory/hparams/*_args.py",
    based_on=transformers.SYSTEM,
    lacks=_LACKS,
    keys=KEYS,
    others=_OTHERS,
    marks=(
        ("finetuning_type", "stage"),
        ("finetuning_type", "template"),
        ("finetuning_type", "model_name_or_path"),
        ("model_name_or_path", "template"),
        ("stage", "model_name_or_path"),
        ("pure_bf16",),
        ("model_name_or_path", "cutoff_len"),
    ),
    unless=("dataset_text_field",),
    programs=("llamafactory-cli train", "llamafactory-cli", "src/train.py", "src/train_bash.py"),
    effective=effective,
    facts=replace(transformers.SYSTEM.facts, own_program=True, halves=halves,
                  raises_trained=lambda view: not view.on("pure_bf16")),
)  # fmt: skip
