"""A second Accelerator asks for another precision.

## What
Two `Accelerator(…)` calls of one program, or a call and what the launcher sets, name different values.

## Why
accelerate keeps one state per process: the second call must agree with the first.

## Example
    Accelerator(mixed_precision="bf16")
    Accelerator(mixed_precision="fp16")

## Use instead
    Accelerator(mixed_precision="bf16")
    Accelerator()

## Fix safety
Not safe: which of the two was meant is not known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..contradiction import Contradiction
from ..run import Run
from ..system import Setting
from ..view import View


def find(run: Run) -> Iterator[Contradiction]:
    """Calls of Accelerator with different precisions."""
    view = run.view("accelerate")
    if any(document.name.endswith("_reset_state") for document in view.documents):
        return  # a program that begins anew between the two
    named = [*_named(view)]
    for setting in named[1:]:
        first = named[0]
        if (
            setting.value != first.value
            and setting.document.file == first.document.file
        ):
            yield Contradiction(
                says=f"a second Accelerator asks for {setting.value}, the first has {first.value}",
                settings=(setting, first),
                effect="ValueError: AcceleratorState has already been initialized and cannot be changed, restart your "
                f"runtime completely and pass `mixed_precision='{setting.value}'` to `Accelerator()`.",
                help="give the precision once, or make the second Accelerator without one",
            )


def _named(view: View) -> Iterator[Setting]:
    """The precision of each call that names one."""
    for document in view.documents:
        setting = View(view.system, (document,)).given("mixed_precision")
        if setting and document.origin == "call" and isinstance(setting.value, str):
            yield setting
