"""MiniCPM-V's and OmniLMM's fine-tuning scripts: TrainingArguments, and which parts are tuned."""

from __future__ import annotations

from collections.abc import Iterator

from ..run import Run
from ..system import Key, System
from ..table import Cell, Component, frozen, trained
from ..view import View
from . import transformers

_SCRIPT = "MiniCPM-V finetune/finetune.py"

KEYS = (
    *(key for key in transformers.KEYS if key.name != "use_peft"),
    Key(name="tune_vision", kind="bool", default=True, source=_SCRIPT),
    Key(name="tune_llm", kind="bool", default=True, source=_SCRIPT),
    Key(name="use_lora", kind="bool", default=False, source=_SCRIPT),
    Key(name="q_lora", kind="bool", default=False, source=_SCRIPT),
    Key(name="lora_modules_to_save", kind="text", aliases=("modules_to_save",), source=_SCRIPT),
)


def zero3(view: View, run: Run) -> bool:
    """Whether DeepSpeed's JSON, or its name, says ZeRO-3."""
    engine = run.view("deepspeed")
    if engine and engine.given("zero_optimization.stage"):
        return engine.number("zero_optimization.stage") == 3
    name = view.text("deepspeed")
    return "zero3" in name or "zero_3" in name or "z3" in name


def effective(view: View, run: Run) -> Iterator[Component]:
    """The language model or its adapter, and the vision tower: loaded in the dtype of computing."""
    autocast = transformers.mixed(view)
    own = autocast if autocast.value != "off" else Cell(value="float32", why="neither fp16 nor bf16")
    held = transformers.engaged(run, own, autocast)
    for name, whether in (
        ("adapter" if view.on("use_lora") else "llm", True),
        ("vpm (vision)", view.on("tune_vision")),
        ("resampler", True),
    ):
        if whether:
            yield trained(name, weights=held.weights, autocast=held.autocast, states=held.states, scaling=held.scaling)
        else:
            yield frozen(name, weights=held.weights, autocast=held.autocast)


SYSTEM = System(
    name="minicpm",
    title="MiniCPM-V fine-tuning",
    version="main of 2025",
    source=_SCRIPT,
    keys=KEYS,
    others=transformers.OTHERS,
    marks=(("tune_vision",), ("tune_llm",), ("llm_type", "model_name_or_path")),
    effective=effective,
)
