"""CogVLM and other programs on SwissArmyTransformer (SAT): `--fp16`, `--bf16`, `--zero-stage`, `--deepspeed_config`."""

from __future__ import annotations

from collections.abc import Iterator

from ..deciding import switched
from ..run import Run
from ..system import Number, Switch, System, Text
from ..table import Cell, Component, trained
from ..view import View
from . import deepspeed

_ARGUMENTS = "SwissArmyTransformer sat/arguments.py get_args, 0.4.12"
_DEMO = "CogVLM basic_demo/cli_demo_sat.py, finetune_demo/"
_CHATS = ("cli_demo_sat.py", "cli_demo.py", "web_demo.py")

KEYS = (
    Switch(name="fp16", source=_ARGUMENTS, means="float16 weights"),
    Switch(name="bf16", source=_ARGUMENTS, means="bfloat16 weights"),
    Number(name="zero_stage", default=0, source=_ARGUMENTS),
    Text(name="deepspeed_config", source=_ARGUMENTS),
    Switch(name="deepspeed", source=_ARGUMENTS),
    Number(name="quant", source=_DEMO),
    Text(name="from_pretrained", source=_DEMO),
    Text(name="experiment_name", source=_ARGUMENTS),
    Text(name="mode", default="pretrain", source=_ARGUMENTS),
    Text(name="train_data", source=_ARGUMENTS),
    Switch(name="checkpoint_activations", source=_ARGUMENTS),
    Switch(name="use_lora", source=_DEMO),
)


def chats(view: View) -> bool:
    """Whether the program is one of CogVLM's demos: they have a parser of their own, and convert their input."""
    return any(document.name.endswith(_CHATS) for document in view.documents)


def trains(view: View) -> bool:
    """Whether SAT sets DeepSpeed up, as it does in each mode but inference."""
    return not chats(view) and view.at("mode", "finetune", "pretrain")


def effective(view: View, run: Run) -> Iterator[Component]:
    """The model: a DeepSpeed file decides alone, else the flags do, fp16 first; ZeRO without a flag takes float16."""
    weights = _engaged(view, run) or switched(view, {"fp16": "float16", "bf16": "bfloat16"}) or _without_flag(view)
    yield trained("model", weights=weights, autocast=Cell(value="off", why="SAT trains without autocast"))


def _engaged(view: View, run: Run) -> Cell | None:
    """What DeepSpeed's own file makes of the weights, if one is named and enables a half dtype."""
    engine = run.view("deepspeed")
    inside = deepspeed.precision(engine) if engine and view.given("deepspeed_config") else None
    return inside if inside and inside.value != "off" else None


def _without_flag(view: View) -> Cell:
    if trains(view) and (view.number("zero_stage") or 0) > 0:
        return Cell(value="float16", by=view.given("zero_stage"), why="ZeRO without a dtype flag sets fp16=True")
    return Cell(value="float32", why="no dtype flag")


SYSTEM = System(
    name="sat",
    title="SwissArmyTransformer (CogVLM)",
    version="0.4.12",
    source=f"{_ARGUMENTS}; {_DEMO}",
    keys=KEYS,
    marks=(("experiment_name", "model_parallel_size"), ("train_iters", "model_parallel_size")),
    programs=(
        *_CHATS,
        "finetune_cogvlm_demo.py",
        "finetune_cogagent_demo.py",
        "evaluate_cogvlm_demo.py",
        "evaluate_cogagent_demo.py",
        "evaluate_cogvlm.py",
    ),
    effective=effective,
)
