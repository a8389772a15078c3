"""ms-swift: TrainingArguments whose fp16 and bf16 follow `torch_dtype`; a YAML or JSON, or `swift sft …`."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.frozen import replace
from ..facts import Halves
from ..prepared import prepared
from ..run import Run
from ..system import Key, Switch, System, Text
from ..table import UNKNOWN, Cell, Component, dtype, frozen, trained
from ..view import View
from . import transformers

_MODEL = "swift/arguments/base_args/model_args.py, 4.6"
_QUANT = "swift/arguments/base_args/quant_args.py, 4.6"
_DTYPES = (None, "bfloat16", "float16", "float32")
_CHOICE = "argparse: invalid choice: {value!r} (choose from bfloat16, float16, float32)"


def derived(view: View, flag: str) -> bool | None:
    """Return the `fp16` or `bf16` of training: its own, else by `torch_dtype`; None if neither is given."""
    given = view.get(flag)
    if isinstance(given, bool):
        return given
    loaded = view.text("torch_dtype")
    if given is not None or not loaded:
        return None
    # float32 weights are trained under float16 autocast, too
    return (loaded == "bfloat16") == (flag == "bf16")


def halves(view: View) -> Halves:
    """Return the Trainer's `fp16` and `bf16`, as `_init_mixed_precision` sets them."""
    return {flag: derived(view, flag) for flag in ("fp16", "bf16")}


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the model, or an adapter in float32 on a frozen base."""
    loaded = view.given("torch_dtype")
    weights = Cell(value=dtype(loaded.value), by=loaded) if loaded else UNKNOWN
    flags = {"float16": derived(view, "fp16"), "bfloat16": derived(view, "bf16")}
    on = next((name for name, flag in flags.items() if flag), "")
    by = view.entry("fp16", "bf16", "torch_dtype")
    autocast = Cell(value=on, by=by, why="follows torch_dtype") if on else UNKNOWN
    held = prepared(run, weights, autocast)
    if view.at("tuner_type", "full"):
        yield held.component("model")
        return
    yield trained("adapter", weights=UNKNOWN, autocast=held.autocast)
    packed = view.given("quant_bits")
    base = Cell(value=f"{packed.entry.text}-bit", by=packed) if packed else weights
    yield frozen("base model", weights=base, autocast=held.autocast)


SYSTEM = System(
    name="swift", title="ms-swift", version="4.6", source=f"{_MODEL}; {_QUANT}", based_on=transformers.SYSTEM,
    lacks=("load_in_4bit", "load_in_8bit", "use_peft", "attn_implementation"),
    keys=(
        Switch(name="fp16", default=None, means="unset: follows torch_dtype", source=_MODEL),
        Switch(name="bf16", default=None, means="unset: follows torch_dtype", source=_MODEL),
        Key(name="torch_dtype", allowed=_DTYPES, rejects=_CHOICE, makes=True,
            means="the weights; unset: the checkpoint's", source=_MODEL),
        Key(name="bnb_4bit_compute_dtype", allowed=_DTYPES, rejects=_CHOICE, makes=True, source=_QUANT),
        Text(name="quant_method", default=None, source=_QUANT),
        Text(name="quant_bits", default=None, source=_QUANT),
        Text(name="tuner_type", default="lora", aliases=("train_type",), source="swift/arguments/sft_args.py"),
        Text(name="attn_impl", default=None, source=_MODEL),
        Text(name="model", source=_MODEL),
    ),
    others=frozenset(
        "template dataset val_dataset split_dataset_ratio lora_rank target_modules freeze_vit system model_author "
        "model_name load_from_cache_file loss_scale rlhf_type infer_backend stream adapters".split()
    ),
    marks=(("model", "tuner_type"), ("model", "train_type"), ("rlhf_type", "model")),
    programs=("swift sft", "swift pt", "swift rlhf", "swift infer", "swift deploy", "swift export", "swift rollout"),
    effective=effective, facts=replace(transformers.SYSTEM.facts, halves=halves),
)
