"""LLaMA-Factory: a YAML or JSON for `llamafactory-cli train`, or its arguments."""

from __future__ import annotations

from collections.abc import Iterator

from ..run import Run
from ..system import Key, System
from ..table import Cell, Component, frozen, trained
from ..view import View
from . import transformers

_PARSER = "llamafactory/hparams/parser.py"
_TRAINER = ("bf16", "fp16", "tf32", "optim", "learning_rate", "deepspeed", "fsdp", "use_cpu", "gradient_checkpointing",
            "bf16_full_eval", "fp16_full_eval", "model_name_or_path")  # fmt: skip

KEYS = (
    *(key for key in transformers.KEYS if key.name in _TRAINER),
    Key(name="pure_bf16", kind="bool", default=False, source="llamafactory/hparams/finetuning_args.py",
        means="bfloat16 weights without autocast"),
    Key(name="fp8", kind="bool", default=False, source="llamafactory/hparams/training_args.py"),
    Key(name="fp8_enable_fsdp_float8_all_gather", kind="bool", default=False, source=_PARSER),
    Key(name="quantization_bit", kind="number", source="llamafactory/hparams/model_args.py"),
    Key(name="quantization_method", kind="text", default="bnb", source="llamafactory/hparams/model_args.py"),
    Key(name="infer_dtype", allowed=("auto", "float16", "bfloat16", "float32"), default="auto", rejects="{value!r} is "
        "none of auto, float16, bfloat16, float32", source="llamafactory/hparams/model_args.py"),
    Key(name="finetuning_type", kind="text", default="lora", source="llamafactory/hparams/finetuning_args.py"),
    Key(name="stage", kind="text", default="sft", source="llamafactory/hparams/finetuning_args.py"),
    Key(name="do_train", kind="bool", default=False, source="transformers"),
    Key(name="upcast_layernorm", kind="bool", default=False, source="llamafactory/hparams/model_args.py"),
    Key(name="flash_attn", kind="text", default="auto", source="llamafactory/hparams/model_args.py"),
    Key(name="use_dora", kind="bool", default=False, source="llamafactory/hparams/finetuning_args.py"),
    Key(name="image_dir", kind="text", aliases=("media_dir",), source="llamafactory/hparams/data_args.py"),
)  # fmt: skip
_OTHERS = transformers.OTHERS | frozenset(
    "dataset template cutoff_len overwrite_cache preprocessing_num_workers lora_rank lora_target lora_alpha "
    "trust_remote_code plot_loss val_size max_samples image_max_pixels freeze_vision_tower adapter_name_or_path "
    "double_quantization quantization_type pref_beta pref_loss export_dir export_size infer_backend".split()
)


def effective(view: View, run: Run) -> Iterator[Component]:
    """The adapter in float32, or the model: the base is loaded in the dtype of computing."""
    autocast = transformers.mixed(view)
    pure = view.given("pure_bf16") if view.on("pure_bf16") else None
    compute = Cell(value="bfloat16", by=pure) if pure else autocast
    base = compute if compute.value != "off" else Cell(value="unknown", why="the dtype of the checkpoint")
    bits = view.given("quantization_bit")
    if view.text("finetuning_type") == "full":
        own = base if pure else Cell(value="float32", why="trainable parameters are raised, unless pure_bf16")
        yield trained("model", weights=own, autocast=autocast)
        return
    own = compute if pure else Cell(value="float32", why="trainable parameters are raised, unless pure_bf16")
    yield trained("adapter", weights=own, autocast=autocast)
    yield frozen("base model", weights=Cell(value=f"{bits.entry.text}-bit", by=bits) if bits else base,
                 autocast=autocast)  # fmt: skip


SYSTEM = System(
    name="llamafactory",
    title="LLaMA-Factory",
    version="0.9.5",
    source=f"{_PARSER}, llamafactory/hparams/*_args.py",
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
)
