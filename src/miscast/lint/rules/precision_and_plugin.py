"""Lightning gets its precision twice.

## What
`Trainer(precision=…)` beside a precision plugin, or one in the strategy beside one in `plugins`.

## Why
Lightning takes it from one place, and refuses if there are two.

## Example
    Trainer(precision="16-mixed", plugins=[HalfPrecision("bf16-true")])

## Use instead
    Trainer(plugins=[HalfPrecision("bf16-true")])

## Fix safety
Not safe: which of the two was meant is not known.
"""

from __future__ import annotations

from ..conflict import Conflict
from ..run import Run
from ..setting import Unknown
from ..view import View


def plugin(view: View) -> str:
    """The name of the precision plugin, if one is given."""
    value = view.get("plugins") if view.given("plugins") else None
    text = value.text if isinstance(value, Unknown) else str(value or "")
    name = text.rpartition("(")[0] or text
    return name.rpartition(".")[2] if "Precision" in name else ""


def _twice(view: View, _: Run) -> bool:
    return view.given("precision") is not None and not view.at("precision", None) and bool(plugin(view))


CONFLICTS = (
    Conflict(
        system="lightning",
        keys=("precision", "plugins"),
        when=_twice,
        says="precision {0} beside a precision plugin",
        effect="ValueError: Received both `precision={0}` and `plugins=…`. Choose one.",
        help="drop one of the two",
        source="lightning/pytorch/trainer/connectors/accelerator_connector.py, 2.6.6",
    ),
    Conflict(
        system="lightning",
        keys=("plugins", "accelerator"),
        when=lambda s, run: (
            plugin(s) == "BitsandbytesPrecision"
            and (s.at("accelerator", "cpu", "mps", "tpu") or (run.machine is not None and run.machine.device != "cuda"))
        ),
        says="BitsandbytesPrecision off CUDA",
        effect="RuntimeError: Bitsandbytes is only supported on CUDA GPUs.",
        help="use bf16-true, or a CUDA machine",
        source="lightning/pytorch/trainer/connectors/accelerator_connector.py, 2.6.6",
    ),
)
