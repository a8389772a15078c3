"""MiniCPM-V's and OmniLMM's fine-tuning scripts: TrainingArguments, and which parts are tuned."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.frozen import replace
from ..conflict import Conflict
from ..prepared import prepared
from ..run import Run
from ..system import Switch, System, Text
from ..table import Cell, Component, frozen
from ..view import View
from . import transformers

_SCRIPT = "MiniCPM-V finetune/finetune.py"

KEYS = (
    Switch(name="tune_vision", default=True, source=_SCRIPT),
    Switch(name="tune_llm", default=True, source=_SCRIPT),
    Switch(name="use_lora", source=_SCRIPT),
    Switch(name="q_lora", source=_SCRIPT),
    Text(name="lora_modules_to_save", aliases=("modules_to_save",), source=_SCRIPT),
)


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the language model or its adapter, and the vision tower, loaded in the compute dtype."""
    autocast = transformers.mixed(view, run)
    own = autocast if autocast.value != "off" else Cell(value="float32", why="neither fp16 nor bf16")
    held = prepared(run, own, autocast)
    model = held.component("adapter" if view.on("use_lora") else "llm")
    yield model
    if view.on("tune_vision"):
        yield replace(model, name="vpm (vision)")
    else:
        yield frozen("vpm (vision)", weights=held.weights, autocast=held.autocast)
    yield replace(model, name="resampler")


SYSTEM = System(
    name="minicpm", title="MiniCPM-V fine-tuning", version="main of 2025", source=_SCRIPT, based_on=transformers.SYSTEM,
    lacks=("use_peft",), keys=KEYS, marks=(("tune_vision",), ("tune_llm",), ("llm_type", "model_name_or_path")),
    effective=effective,
)


CONFLICTS = (
    Conflict(
        rule="lora-with-trained-base", keys=("tune_llm", "use_lora"),
        when=lambda s, _: s.on("use_lora") and s.on("tune_llm"), says="use_lora with tune_llm",
        effect="ValueError: The model cannot simultaneously adjust LLM parameters and apply LoRA.",
        help="set tune_llm to false (its default is true)", source="MiniCPM-V finetune/finetune.py",
    ),
    Conflict(
        rule="zero3-excludes", keys=("use_lora", "deepspeed", "deepspeed:zero_optimization.stage"),
        when=lambda s, run: s.on("use_lora") and transformers.zero3(s, run), says="use_lora under ZeRO-3",
        effect="silent: the vision tower's weights are empty outside the engine (its documentation: LoRA needs ZeRO-2)",
        help="use ds_config_zero2.json", source="MiniCPM-V finetune/, its documentation",
    ),
)
