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
from ..systems import lightning
from ..view import View


def _twice(view: View, _: Run) -> bool:
    return (
        view.given("precision") is not None
        and not view.at("precision", None)
        and bool(lightning.plugin(view))
    )


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
)
