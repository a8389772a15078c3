"""torchtune: a recipe's YAML, with `key=value` overrides after `tune run`."""

from __future__ import annotations

from collections.abc import Iterator

from ..conflict import Conflict
from ..deciding import chosen
from ..facts import Facts
from ..run import Run
from ..system import Key, Number, Switch, System, Text
from ..table import Cell, Component, frozen, trained
from ..view import View

_PRECISION = "torchtune/training/precision.py"

KEYS = (
    Key(name="dtype", allowed=("fp16", "bf16", "fp32", "fp64"), default="fp32", source=f"{_PRECISION} get_dtype",
        rejects="ValueError: Dtype {value} must be one of fp16, bf16, fp32, fp64 for finetuning.",
        means="all weights, without autocast"),
    Text(name="device", default="cuda", source="torchtune/utils/_device.py"),
    Number(name="optimizer.lr", source="the recipe's optimizer"),
    Text(name="optimizer._component_", source="the recipe's optimizer"),
    Text(name="model._component_", source="the recipe's model"),
    Switch(name="enable_activation_checkpointing", source="the recipe"),
    Switch(name="fsdp_cpu_offload", source="the recipe"),
    Text(name="reduce_dtype", source="torchtune/training/_distributed.py"),
    Switch(name="optimizer_in_bwd", source="the recipe"),
)
_OTHERS = frozenset(
    "tokenizer._component_ checkpointer._component_ batch_size epochs seed shuffle output_dir loss._component_ "
    "max_steps_per_epoch gradient_accumulation_steps compile log_every_n_steps resume_from_checkpoint".split()
)


def lora(view: View) -> bool:
    """Check whether the model is a LoRA builder."""
    return "lora" in view.text("model._component_")


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the model, or the adapter and its base, in one dtype."""
    own = chosen(view, "dtype")
    off = Cell(value="off", why="torchtune trains without autocast")
    yield trained("adapter" if lora(view) else "model", weights=own, autocast=off)
    if lora(view):
        four = "qlora" in view.text("model._component_")
        held = Cell(value="nf4", by=view.given("model._component_")) if four else own
        yield frozen("base model", weights=held, autocast=off)


SYSTEM = System(
    name="torchtune", title="torchtune", version="0.6.1",
    source=f"{_PRECISION}, torchtune/_recipe_registry.py",
    keys=KEYS,
    others=_OTHERS,
    marks=(("model._component_", "tokenizer._component_"), ("model._component_", "checkpointer._component_"),
           ("model._component_", "dtype"), ("model._component_", "optimizer._component_")),
    programs=("tune run",),
    facts=Facts(own_program=True),
    effective=effective,
)  # fmt: skip


CONFLICTS = (
    Conflict(
        rule="recipe-excludes-dtype", keys=("dtype",), when=lambda s, _: s.at("dtype", "fp16"),
        says="dtype: fp16 in a torchtune recipe",
        effect="ValueError: full fp16 training is not supported with this recipe. Please use bf16 or fp32 instead.",
        help="use bf16 on Ampere and later, fp32 on older GPUs", source="torchtune recipes/*.py, 0.6.1",
    ),
    Conflict(
        rule="recipe-excludes-dtype", keys=("dtype", "device"),
        when=lambda s, run: (
            s.at("dtype", "bf16")
            and s.at("device", "cuda")
            and run.machine is not None
            and run.machine.device not in ("cuda", "npu")
        ),
        says="dtype: bf16 on device cuda, which the machine does not have",
        effect="RuntimeError: bf16 precision was requested but not available on this hardware. Please use fp32 "
        "precision instead.",
        help="set device to the machine's, and dtype: fp32", source="torchtune/training/precision.py get_dtype, 0.6.1",
    ),
)
