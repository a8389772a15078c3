"""LeRobot's `lerobot-train`: the policy's dtype, and autocast by accelerate's launcher."""

from __future__ import annotations

from collections.abc import Iterator

from ..conflict import Conflict
from ..deciding import chosen
from ..run import Run
from ..system import Key, Switch, System, Text
from ..table import Cell, Component, trained
from ..view import View
from . import accelerate

_TRAIN = "lerobot/scripts/lerobot_train.py, 0.4.4"


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the policy; a policy in bfloat16 (pi0, pi05, pi0_fast, xvla) keeps some parameters in float32."""
    weights, launcher = chosen(view, "policy.dtype"), run.view("accelerate")
    if weights.value == "bfloat16":
        weights = Cell(value="bfloat16, float32", by=weights.by, why="some parameters stay float32")
    off = Cell(value="off", why="Accelerator() without a launcher")
    yield trained("policy", weights=weights, autocast=accelerate.mixed(launcher, run) if launcher else off)


SYSTEM = System(
    name="lerobot", title="LeRobot", version="0.4.4", source=_TRAIN,
    keys=(
        Key(name="policy.dtype", allowed=("float32", "bfloat16"), default="float32",
            rejects="ValueError: Invalid dtype: {value}", means="the policy's weights (pi0, pi05, pi0_fast, xvla)",
            source="lerobot/policies/pi0/configuration_pi0.py, 0.4.4"),
        Switch(name="policy.use_amp", means="autocast when the policy is evaluated and records",
               source="lerobot/configs/policies.py, 0.4.4"),
        Text(name="policy.type", source=_TRAIN),
        Text(name="policy.device", source=_TRAIN),
    ),
    programs=("lerobot-train", "lerobot.scripts.lerobot_train", "lerobot_train.py"), effective=effective,
)

CONFLICTS = (
    Conflict(
        rule="setting-has-no-effect", severity="warning", keys=("policy.use_amp",),
        when=lambda s, _: s.on("policy.use_amp"), says="policy.use_amp is on, and lerobot-train does not read it",
        effect="silent: training casts as accelerate's launcher says, by default not at all",
        help="start with accelerate launch --mixed_precision", source=_TRAIN,
    ),
)
