"""Components are quantized by libraries that exclude one another.

## What
SimpleTuner's `base_model_precision` names one of quanto and torchao, a text encoder's precision the other; or both
`load_in_4bit` and `load_in_8bit`.

## Why
SimpleTuner sets up one of them for the run; bitsandbytes has one set of weights.

## Example
    "base_model_precision": "int8-quanto", "text_encoder_1_precision": "int8-torchao"

## Use instead
    "text_encoder_1_precision": "int8-quanto"

## Fix safety
Not safe: the two round differently.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ..conflict import Conflict, tell
from ..run import Run
from ..system import Setting
from ..systems import simpletuner
from ..view import View


def _both(view: View) -> bool:
    """In code, of one call: an `if` often has a call for each."""
    four, eight = view.given("load_in_4bit"), view.given("load_in_8bit")
    if four is None or eight is None or (view.system.name == "torch" and four.document is not eight.document):
        return False
    return four.value is True and eight.value is True


_BOTH = "ValueError: load_in_4bit and load_in_8bit are both True, but only one can be used at the same time"

CONFLICTS = tuple(
    Conflict(system=system, keys=("load_in_4bit", "load_in_8bit"),
             when=lambda s, _: _both(s),
             says="load_in_4bit and load_in_8bit are both on", effect=_BOTH, help="keep one of them",
             source="transformers/utils/quantization_config.py, 5.23.0")
    for system in ("transformers", "trl", "minicpm", "axolotl", "torch")
)  # fmt: skip


def find(run: Run) -> Iterator[Finding]:
    """Components quantized by quanto beside those by torchao."""
    view = run.view("simpletuner")
    if not view:
        return
    found: dict[str, Setting] = {}
    for key in simpletuner.QUANTIZED_KEYS:
        setting = view.given(key)
        for library in ("quanto", "torchao"):
            if setting and str(setting.value).endswith(library):
                found.setdefault(library, setting)
    if len(found) == 2:
        yield tell(
            "quantizers-mixed",
            "one component is quantized by quanto, another by torchao",
            sorted(found.values(), key=lambda s: s.entry.at.line),
            effect="ValueError: Cannot mix torchao and quanto precisions",
            fixes=(Fix(title="quantize all components with one of the two"),),
        )
