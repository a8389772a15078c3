"""CogVLM and other programs on SwissArmyTransformer (SAT): `--fp16`, `--bf16`, `--zero-stage`, `--deepspeed_config`."""

from __future__ import annotations

from collections.abc import Iterator

from ..conflict import Check, Conflict
from ..contradiction import Contradiction
from ..deciding import on, switched
from ..messages import KEEP_ONE_HALF
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
    """Check whether the program is a demo of CogVLM, which has its own parser and converts its input."""
    return any(document.name.endswith(_CHATS) for document in view.documents)


def trains(view: View) -> bool:
    """Check whether SAT sets up DeepSpeed, as in every mode except inference."""
    return not chats(view) and view.at("mode", "finetune", "pretrain")


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the model: a DeepSpeed file decides, else the flags, fp16 first; ZeRO without a flag uses float16."""
    weights = _engaged(view, run) or switched(view, {"fp16": "float16", "bf16": "bfloat16"}) or _without_flag(view)
    yield trained("model", weights=weights, autocast=Cell(value="off", why="SAT trains without autocast"))


def _engaged(view: View, run: Run) -> Cell | None:
    """Return the weights by DeepSpeed's file, if one is given and enables a half dtype."""
    engine = run.view("deepspeed")
    inside = deepspeed.precision(engine) if engine and view.given("deepspeed_config") else None
    return inside if inside and inside.value != "off" else None


def _without_flag(view: View) -> Cell:
    if trains(view) and (view.number("zero_stage") or 0) > 0:
        return Cell(value="float16", by=view.given("zero_stage"), why="ZeRO without a dtype flag sets fp16=True")
    return Cell(value="float32", why="no dtype flag")


SYSTEM = System(
    name="sat", title="SwissArmyTransformer (CogVLM)", version="0.4.12", source=f"{_ARGUMENTS}; {_DEMO}", keys=KEYS,
    marks=(("experiment_name", "model_parallel_size"), ("train_iters", "model_parallel_size")),
    programs=(*_CHATS, "finetune_cogvlm_demo.py", "finetune_cogagent_demo.py", "evaluate_cogvlm_demo.py",
              "evaluate_cogagent_demo.py", "evaluate_cogvlm.py"),
    effective=effective,
)


def _overridden(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield a flag that DeepSpeed's file overrides."""
    engine, file, flag = run.view("deepspeed"), view.given("deepspeed_config"), on(view, "fp16", "bf16")
    if file is None or flag is None or not trains(view):
        return
    name = flag.key.name
    if on(engine, f"{name}.enabled") is None:
        yield Contradiction(
            says=f"--deepspeed_config overrides --{name}",
            settings=(flag, file, engine.given(f"{name}.enabled"), engine.entry("fp16.enabled", "bf16.enabled")),
            severity="warning", effect="silent: Will override arguments with manually specified deepspeed_config!",
            help=f'enable {name} in the file: "{name}": {{"enabled": true}}',
        )


CONFLICTS = (
    Conflict(
        rule="both-half-dtypes", keys=("fp16", "bf16"),
        when=lambda s, _: s.on("fp16") and s.on("bf16") and not chats(s), says="--fp16 and --bf16 are both given",
        effect="AssertionError: cannot specify both fp16 and bf16.", help=KEEP_ONE_HALF, source=_ARGUMENTS,
    ),
    Conflict(
        rule="both-half-dtypes", keys=("fp16", "bf16"), when=lambda s, _: s.on("fp16") and s.on("bf16") and chats(s),
        says="--fp16 and --bf16 are both given",
        effect="the model becomes float16 and its input bfloat16: RuntimeError: Input type (c10::BFloat16) and "
        "bias type (c10::Half) should be the same",
        help="give one of them: --bf16 on Ampere and later, --fp16 on older GPUs",
        source="CogVLM utils/utils/chat.py: the input takes bfloat16 if args.bf16 else float16",
    ),
    Conflict(
        rule="no-dtype-flag", keys=(), when=lambda s, _: chats(s) and s.off("fp16") and s.off("bf16"),
        says="neither --fp16 nor --bf16 is given: the model stays float32, but its input becomes float16",
        effect="RuntimeError: Input type (c10::Half) and bias type (float) should be the same",
        help="give --bf16 on Ampere and later, --fp16 on older GPUs",
        source="CogVLM utils/utils/chat.py: torch.bfloat16 if args.bf16 else torch.float16",
    ),
    Conflict(
        rule="quantization-excludes", keys=("bf16", "quant"),
        when=lambda s, _: s.on("bf16") and s.number("quant") is not None,
        says="--bf16 with --quant {1}, whose weights are unpacked to float16",
        effect="RuntimeError: expected mat1 and mat2 to have the same dtype, but got: c10::BFloat16 != c10::Half",
        help="use --fp16, as CogVLM's README does",
        source="sat/quantization/kernels.py W8A16Linear, extract_weight_to_half, 0.4.12; CogVLM README",
    ),
    Conflict(
        rule="setting-overridden", severity="warning", keys=("zero_stage",),
        when=lambda s, _: (
            (s.number("zero_stage") or 0) > 0
            and s.off("fp16")
            and s.off("bf16")
            and not s.given("deepspeed_config")
            and trains(s)
        ),
        says="zero_stage {0} without --fp16 or --bf16 selects float16",
        effect="silent: Automatically set fp16=True to use ZeRO. (before 0.4.1, with --bf16 too)",
        help="give --bf16 on Ampere and later, --fp16 on older GPUs", source=_ARGUMENTS,
    ),
    Check(rule="setting-overridden", search=_overridden, source=_ARGUMENTS),
)
