"""CogVLM and other programs on SwissArmyTransformer (SAT): `--fp16`, `--bf16`, `--zero-stage`, `--deepspeed_config`."""

from __future__ import annotations

from collections.abc import Iterator

from ..run import Run
from ..system import Key, System
from ..table import Cell, Component, trained
from ..view import View

_ARGUMENTS = "SwissArmyTransformer sat/arguments.py get_args"
_DEMO = "CogVLM basic_demo/cli_demo_sat.py, finetune_demo/"

KEYS = (
    Key(name="fp16", kind="bool", default=False, source=_ARGUMENTS, means="float16 weights"),
    Key(name="bf16", kind="bool", default=False, source=_ARGUMENTS, means="bfloat16 weights"),
    Key(name="zero_stage", kind="number", default=0, source=_ARGUMENTS),
    Key(name="deepspeed_config", kind="text", source=_ARGUMENTS),
    Key(name="deepspeed", kind="bool", default=False, source=_ARGUMENTS),
    Key(name="quant", kind="number", source=_DEMO),
    Key(name="from_pretrained", kind="text", source=_DEMO),
    Key(name="experiment_name", kind="text", source=_ARGUMENTS),
    Key(name="mode", kind="text", source=_ARGUMENTS),
    Key(name="train_data", kind="text", source=_ARGUMENTS),
    Key(name="checkpoint_activations", kind="bool", default=False, source=_ARGUMENTS),
    Key(name="use_lora", kind="bool", default=False, source=_DEMO),
)


def trains(view: View) -> bool:
    """Whether the program trains: then SAT sets DeepSpeed up."""
    return bool(view.given("train_data") or view.given("experiment_name")) or view.at("mode", "finetune", "pretrain")


def effective(view: View, run: Run) -> Iterator[Component]:
    """The model: a DeepSpeed file decides alone, else the flags do, fp16 first; ZeRO without a flag takes float16."""
    stage = view.number("zero_stage") or 0
    if view.on("fp16"):
        weights = Cell(value="float16", by=view.given("fp16"))
    elif view.on("bf16"):
        weights = Cell(value="bfloat16", by=view.given("bf16"))
    elif trains(view) and stage > 0:
        weights = Cell(value="float16", by=view.given("zero_stage"), why="ZeRO without a dtype flag sets fp16=True")
    else:
        weights = Cell(value="float32", why="no dtype flag")
    engine = run.view("deepspeed")
    if engine and view.given("deepspeed_config"):
        from .deepspeed import precision

        inside = precision(engine)
        if inside.value != "off":
            weights = inside
    yield trained("model", weights=weights, autocast=Cell(value="off", why="SAT trains without autocast"))


SYSTEM = System(
    name="sat",
    title="SwissArmyTransformer (CogVLM)",
    version="0.4.12",
    source=f"{_ARGUMENTS}; {_DEMO}",
    keys=KEYS,
    marks=(("experiment_name", "model_parallel_size"), ("train_iters", "model_parallel_size")),
    programs=(
        "cli_demo_sat.py",
        "cli_demo.py",
        "web_demo.py",
        "finetune_cogvlm_demo.py",
        "finetune_cogagent_demo.py",
        "evaluate_cogvlm_demo.py",
        "evaluate_cogagent_demo.py",
        "evaluate_cogvlm.py",
    ),
    effective=effective,
)
