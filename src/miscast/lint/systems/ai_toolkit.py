"""ai-toolkit's jobs: one YAML with the dtypes of training and saving, and the model's quantizer."""

from __future__ import annotations

from collections.abc import Iterator

from ..deciding import chosen
from ..run import Run
from ..system import Key, Switch, System, Text
from ..table import UNKNOWN, Cell, Component, frozen, trained
from ..view import View

_CONFIG = "ai-toolkit toolkit/config_modules.py, main of 2026-08"
_NAMED = "ai-toolkit toolkit/train_tools.py get_torch_dtype"
_DTYPES = (
    "float", "fp32", "single", "float32", "fp16", "half", "float16", "bf16", "bfloat16", "8bit", "e4m3fn", "float8",
)  # fmt: skip
_UNNAMED = "TypeError: {value!r} stays a string, and a tensor needs a dtype"

KEYS = (
    *(
        Key(name=name, allowed=_DTYPES, default=default, rejects=_UNNAMED, source=f"{_CONFIG}; {_NAMED}")
        for name, default in (("train.dtype", "fp32"), ("model.dtype", "float16"), ("save.dtype", "float16"))
    ),
    Switch(name="model.quantize", source=_CONFIG),
    Switch(name="model.quantize_te", source=_CONFIG),
    Text(name="model.qtype", default="qfloat8", aliases=("model.qtype_te",), source=_CONFIG),
    Text(name="network.type", default=None, source=_CONFIG),
    Text(name="train.optimizer", default="adamw", source=_CONFIG),
    Text(name="model.name_or_path", source=_CONFIG),
)


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the base in the training dtype, or quantized, and the trained network."""
    named = chosen(view, "train.dtype", of="ai-toolkit")
    packed = view.given("model.quantize") if view.on("model.quantize") else None
    if view.given("network.type"):
        yield trained("network", weights=UNKNOWN, autocast=named)
        weights = Cell(value="8-bit", by=packed) if packed else named
        yield frozen("base model", weights=weights, autocast=named)
    else:
        yield trained("model", weights=named, autocast=named)


SYSTEM = System(
    name="ai-toolkit", title="ai-toolkit", version="main of 2026-08", source=_CONFIG, keys=KEYS,
    marks=(("job", "config.process.0.type"),), nested=("config.process.0.",), effective=effective,
)
