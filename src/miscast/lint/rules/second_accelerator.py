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

from ...finding import Finding, Fix
from ..conflict import tell
from ..run import Run
from ..view import View


def find(run: Run) -> Iterator[Finding]:
    """Calls of Accelerator with different precisions."""
    view = run.view("accelerate")
    if any(document.name.endswith("_reset_state") for document in view.documents):
        return  # a program that begins anew between the two
    calls = [View(view.system, (d,)).given("mixed_precision") for d in view.documents if d.origin == "call"]
    named = [setting for setting in calls if setting and isinstance(setting.value, str)]
    for setting in named[1:]:
        if setting.value != named[0].value and setting.document.file == named[0].document.file:
            yield tell(
                "second-accelerator",
                f"a second Accelerator asks for {setting.value}, the first has {named[0].value}",
                [setting, named[0]],
                effect="ValueError: AcceleratorState has already been initialized and cannot be changed, restart your "
                f"runtime completely and pass `mixed_precision='{setting.value}'` to `Accelerator()`.",
                fixes=(Fix(title="give the precision once, or make the second Accelerator without one"),),
            )
