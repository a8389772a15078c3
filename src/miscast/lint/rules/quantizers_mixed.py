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

from ..conflict import Conflict
from ..contradiction import Contradiction
from ..deciding import on
from ..run import Run
from ..systems import simpletuner
from ..view import View


def _both(view: View, _: Run) -> bool:
    """In code, of one call: an `if` often has a call for each."""
    four, eight = on(view, "load_in_4bit"), on(view, "load_in_8bit")
    if four is None or eight is None:
        return False
    return view.system.role != "library" or four.document is eight.document


CONFLICTS = tuple(
    Conflict(
        system=system,
        inherited=True,
        keys=("load_in_4bit", "load_in_8bit"),
        when=_both,
        says="load_in_4bit and load_in_8bit are both on",
        effect="ValueError: load_in_4bit and load_in_8bit are both True, but only one can be used at the same time",
        help="keep one of them",
        source="transformers/utils/quantization_config.py, 5.23.0",
    )
    for system in ("transformers", "axolotl", "torch")
)


def find(run: Run) -> Iterator[Contradiction]:
    """Components quantized by quanto beside those by torchao."""
    given = [
        setting
        for key in simpletuner.QUANTIZED_KEYS
        if (setting := run.view("simpletuner").given(key))
    ]
    by_library = (
        next(
            (setting for setting in given if str(setting.value).endswith(library)), None
        )
        for library in ("quanto", "torchao")
    )
    found = [setting for setting in by_library if setting]
    found.sort(key=lambda setting: setting.entry.at.line)
    if len(found) == 2:
        yield Contradiction(
            says="one component is quantized by quanto, another by torchao",
            settings=tuple(found),
            effect="ValueError: Cannot mix torchao and quanto precisions",
            help="quantize all components with one of the two",
        )
