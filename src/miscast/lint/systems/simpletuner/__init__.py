"""SimpleTuner: `config.json`, `config.toml`, or `config.env` with arguments in a variable."""

from __future__ import annotations

from collections.abc import Iterator

from ....core.frozen import replace
from ...deciding import chosen, on
from ...facts import Facts
from ...formats.words import Word, options, split
from ...prepared import prepared
from ...run import Run
from ...setting import Document, Entry, Unknown
from ...system import Key, Number, Switch, System, Text
from ...table import UNKNOWN, Cell, Component, dtype, frozen
from ...view import View

_SOURCE = "SimpleTuner helpers/configuration/cmd_args.py"
_ARGPARSE = "argparse: invalid choice: {value!r}"
_QUANTIZED = (
    "no_change", "int8-quanto", "int4-quanto", "int2-quanto", "int8-torchao", "nf4-bnb",
    "int4-torchao", "fp8-quanto", "fp8uz-quanto", "fp8-torchao", "int8-bnb", "fp4-bnb",
    "fp8-bnb", "int8dq-torchao", "int8dq-int4-torchao", "int8-sdnq", "uint8-sdnq",
    "int16-sdnq", "uint16-sdnq", "fp16-sdnq", "fp8-sdnq", "int6-sdnq", "int5-sdnq",
    "uint5-sdnq", "uint4-sdnq", "uint3-sdnq", "uint2-sdnq", "fp8-native",
    "fp8wo-torchao", "fp8-int4-torchao", "fp8-transformerengine",
)  # fmt: skip
"""The precisions of any version from 1.0 to main of 2026-08; newer versions add more."""
_TE = tuple(f"text_encoder_{n}_precision" for n in range(1, 5))

KEYS = (
    Key(name="mixed_precision", allowed=("no", "fp16", "bf16", "fp8"), default="bf16", rejects=_ARGPARSE,
        source=f"{_SOURCE}; 2024: bf16 and no", means="the dtype of the weights, and of autocast"),
    Key(name="gradient_precision", allowed=("unmodified", "fp32"), default="unmodified", rejects=_ARGPARSE,
        source=f"{_SOURCE}; helpers/training/trainer.py", means="fp32: param.grad.data is replaced after backward"),
    Key(name="base_model_precision", allowed=_QUANTIZED, default="no_change", rejects=_ARGPARSE, grows=True,
        source=f"{_SOURCE}; helpers/training/__init__.py quantised_precision_levels, main of 2026-08"),
    *(
        Key(name=name, allowed=_QUANTIZED, default="no_change", rejects=_ARGPARSE, grows=True, source=_SOURCE)
        for name in _TE
    ),
    Key(name="base_model_default_dtype", allowed=("bf16", "fp32"), default="bf16", rejects=_ARGPARSE, source=_SOURCE,
        means="the weights of a quantized base that stay unquantized"),
    Key(name="vae_dtype", allowed=("default", "fp32", "fp16", "bf16"), default="default", rejects=_ARGPARSE,
        source=_SOURCE),
    Text(name="optimizer", default="adamw_bf16", source="helpers/training/optimizer_param.py"),
    Number(name="gradient_accumulation_steps", default=1, source=_SOURCE),
    Switch(name="gradient_checkpointing", source=_SOURCE),
    Number(name="learning_rate", default=4e-7, source=_SOURCE),
    Text(name="model_type", default="lora", source=_SOURCE),
    Text(name="model_family", source=_SOURCE),
    Switch(name="use_ema", source=_SOURCE),
    Number(name="num_processes", default=1, aliases=("training_num_processes",), source="train.sh"),
    Text(name="attention_mechanism", default="diffusers", source=_SOURCE,
         means="diffusers: any kernel that fits; sageattention and flash kernels need half precision"),
    Text(name="quantize_via", default="accelerator", source=_SOURCE),
    Switch(name="disable_tf32", source=_SOURCE),
    Switch(name="i_know_what_i_am_doing", source=_SOURCE),
)
_SAME = (
    "mixed_precision", "optimizer", "learning_rate", "model_type", "use_ema", "gradient_accumulation_steps",
    "model_family", "base_model_precision", "gradient_precision", "pure_bf16",
)  # fmt: skip
_VARIABLES = {name.upper(): name for name in _SAME} | {
    "TRAINING_NUM_PROCESSES": "num_processes",
    "USE_GRADIENT_CHECKPOINTING": "gradient_checkpointing",
}
_EXTRA = ("TRAINER_EXTRA_ARGS", "EXTRA_ARGS", "SIMPLETUNER_EXTRA_ARGS")


def translate(document: Document) -> Document:
    """Return an environment file's variables, and the arguments in one of them, as options; JSON may have `--`."""
    if document.origin == "file":
        bare = tuple(replace(e, key=(e.key[0].lstrip("-"), *e.key[1:])) for e in document.entries)
        return replace(document, entries=bare)
    if document.origin != "environment":
        return document
    entries: list[Entry] = []
    for entry in document.entries:
        if entry.path in _VARIABLES:
            entries.append(replace(entry, key=(_VARIABLES[entry.path],)))
        elif entry.path in _EXTRA:
            known = not isinstance(entry.value, Unknown)
            entries += options(split(Word(text=entry.text, at=entry.at, known=known, marks=entry.marks)))
    return replace(document, entries=tuple(entries))


QUANTIZED_KEYS = ("base_model_precision", *_TE)
CUDA_ONLY = ("nf4-bnb", "fp8-quanto", "fp8uz-quanto", "fp8-torchao")
"""helpers/training/__init__.py: these precisions are available only with CUDA, 3.1.6."""


def half(view: View) -> str:
    """Return the half dtype of the weights; "" for float32."""
    return {"bf16": "bfloat16", "fp16": "float16", "fp8": "bfloat16"}.get(str(view.get("mixed_precision")), "")


def quantized(view: View) -> bool:
    """Check whether the base model is quantized."""
    return view.text("base_model_precision") not in ("", "no_change")


def unmodified(view: View) -> bool:
    """Check whether gradients keep their dtype even with fp32: these optimizers in 3.1.6 use no fp32 gradients."""
    return view.text("optimizer").startswith(("torch-", "optimi-", "ao-"))


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield half-precision weights under autocast to the same dtype; the VAE is outside autocast."""
    mixed = chosen(view, "mixed_precision")
    own = replace(mixed, value=half(view) or "float32")
    off = Cell(value="off", why="only the trained model runs under autocast")
    on_mps = Cell(value="off", why="SimpleTuner switches accelerate's autocast off on MPS")
    whole = prepared(run, own, on_mps if run.on_device("mps") else mixed)
    lora = view.text("model_type") == "lora"
    tf32 = _tf32(view, run)
    row = whole.component("lora" if lora else "model", tf32=tf32)
    if view.text("optimizer").startswith("ao-"):
        # torchao quantizes states of 4,096 elements and more in blocks
        row = replace(row, optimizer_states=UNKNOWN)
    if view.at("gradient_precision", "fp32") and not unmodified(view):
        raised = Cell(value="float32", by=view.given("gradient_precision"))
        row = replace(row, gradients=raised, accumulation=raised)
    yield row
    if lora:
        yield frozen("base model", weights=_base(view) or own, autocast=whole.autocast, tf32=tf32)
    vae = view.given("vae_dtype")
    value = str(vae.value).replace("default", "bf16") if vae else "bf16"
    yield frozen("vae", weights=Cell(value=dtype(value), by=vae, why="default of SimpleTuner"), autocast=off, tf32=tf32)


def _tf32(view: View, run: Run) -> Cell:
    """Return TF32: on with CUDA, unless it is disabled."""
    without = on(view, "disable_tf32")
    if run.off_device("cuda"):
        return Cell(value="off", why="only with CUDA")
    return Cell(value="off" if without else "on", by=without, why="SimpleTuner switches it on")


def _base(view: View) -> Cell | None:
    """Return the weights of a quantized base: the quantized ones, and the dtype of the rest."""
    base = view.given("base_model_precision")
    if not base or base.value == "no_change":
        return None
    rest = "float32" if view.at("base_model_default_dtype", "fp32") else "bfloat16"
    return Cell(value=", ".join(sorted((str(base.value), rest))), by=base)


SYSTEM = System(
    name="simpletuner", title="SimpleTuner", version="1.0 (2024-08) to 3.2", source=f"{_SOURCE}, OPTIONS.md", keys=KEYS,
    marks=(("data_backend_config",), ("--data_backend_config",), ("model_family", "mixed_precision"),
           ("model_family", "base_model_precision"), ("model_family", "model_type"),
           ("base_model_precision", "optimizer"), ("gradient_precision",), ("--gradient_precision",),
           ("--model_family",), ("base_model_precision", "mixed_precision"), ("vae_dtype", "mixed_precision"),
           ("base_model_default_dtype",)),
    programs=("simpletuner train", "train_sdxl.py", "train_sd21.py"),
    variables=("TRAINER_EXTRA_ARGS", "TRAINING_NUM_PROCESSES", "MIXED_PRECISION", "SIMPLETUNER_EXTRA_ARGS"),
    translate=translate, effective=effective,
    facts=Facts(fills_auto=True, overrides_launcher=True, compared_with_engine=True,
                fp8_missing="ValueError: fp8 needs CUDA (torch._scaled_mm, compute capability 8.9)"),
)
