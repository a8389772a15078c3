"""Open-Sora: a configuration in Python, literals only; ColossalAI's plugin computes in its `dtype`."""

from __future__ import annotations

from collections.abc import Iterator

from ..deciding import chosen
from ..run import Run
from ..system import Key, System, Text
from ..table import Cell, Component, trained
from ..view import View

_UTILS = "opensora/utils/misc.py to_torch_dtype, 2.0"

SYSTEM_KEYS = (
    Key(name="dtype", allowed=("float64", "float32", "float16", "fp32", "fp16", "half", "bf16"), default="bf16",
        rejects="ValueError: Unsupported dtype {value}",
        means="weights and compute dtype; ZeRO has float32 master weights",
        source=_UTILS),
    Text(name="plugin", default="zero2", source="opensora/utils/train.py create_colossalai_plugin"),
)


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the model under ColossalAI's plugin."""
    own = chosen(view, "dtype", of="Open-Sora")
    states = Cell(value="float32", why="ColossalAI's master weights")
    yield trained("model", weights=own, autocast=Cell(value="off", why="the plugin casts the model"), states=states)


SYSTEM = System(
    name="opensora", title="Open-Sora", version="2.0", source=_UTILS, keys=SYSTEM_KEYS,
    marks=(("dtype", "plugin", "ckpt_every"), ("dtype", "ae.type", "model.type")), effective=effective,
)
