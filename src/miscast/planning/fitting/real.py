"""A candidate really run, with a twin in float32 beside it: how far the two are apart, and what is lost on the way.

Losses, weights and decisions are paired by the shadow (`shadowing.against`): the same seeds, batches and draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from ...core.failure import spelled
from ...running.launching.entry import as_main, starter
from ...running.process.patching import Patch, applied
from ...running.program.run import at_user_line
from .candidate import RealFit
from .components import Components
from .ending import ended_after

if TYPE_CHECKING:
    from ...numbers.values.parting import Parting
    from ...vm.outside import Outside

_STILL = 0.999
"""A weight whose way is so far from its twin's, and which has not gone a thousandth of it, stands still."""


def measured(
    target: str, args: Sequence[str], box: Outside, fit: RealFit
) -> dict[str, Any]:
    """Run it on this machine, in the box, for so many steps of the optimizer; as JSON has it."""
    import torch

    from ...core.machines import find
    from ...numbers.values.against import Against
    from ...running.program.run import virtual_machine

    components = Components(fit.candidate)
    against = Against("float32")
    ended = ""
    recorder = virtual_machine(find("cpu")).recorder
    start = starter(target)
    with ExitStack() as stack:
        stack.enter_context(box.entered(recorder))
        stack.enter_context(as_main(target, args))
        stack.enter_context(_seeded(fit.seed))
        stack.enter_context(components.on())
        # compiled code has no ops to stand beside; an optimizer of torchao compiles its step
        stack.enter_context(torch.compiler.set_stance("force_eager"))
        stack.enter_context(ended_after(fit.steps))
        stack.enter_context(against.on())
        torch.manual_seed(0)
        try:
            start()
        except SystemExit as exit_:
            ended = f"the program exited with {exit_.code!r}" if exit_.code else ""
        except Exception as error:  # noqa: BLE001 - a program may raise anything: it is told
            ended = f"{spelled(error)}{at_user_line(error)}"
        parting = against.parting()
    return {
        "fitted": {
            "components": components.shown(),
            "error": _error(parting),
            "lost": "" if ended else _lost(parting),
            "ended": ended,
            "steps": parting.steps,
            "losses": [one.value for one in parting.losses],
            "exact": [one.exact for one in parting.losses],
        }
    }


@contextmanager
def _seeded(offset: int) -> Iterator[None]:
    """Offset every seed that the program sets within the block; runs with the same `offset` are the same."""
    import torch

    original = torch.manual_seed

    def manual_seed(seed: Any) -> torch.Generator:
        return original(int(seed) + offset)

    with applied([Patch(torch, "manual_seed", manual_seed)]):
        yield


def _error(parting: Parting) -> float:
    """Return the worst relative error of the losses or, without any, of the outputs. -1: one is not finite."""
    if parting.losses:
        errors = [one.error for one in parting.losses]
    else:
        errors = [one.worst for one in parting.outputs if "." not in one.module]
    worst = max((e for e in errors if math.isfinite(e)), default=0.0)
    return worst if all(map(math.isfinite, errors)) else -1.0


def _lost(parting: Parting) -> str:
    """Return the reason to rule out a candidate: a number finite in float32 only, or a weight whose updates vanish."""
    overflow = parting.parted.get(math.inf)
    if overflow is not None and "float16" in overflow.dtype:
        place = overflow.location
        return (
            f"{overflow.op} overflows in {overflow.dtype} but not in float32, step {overflow.step}"
            f" at {place.file}:{place.line}"
        )
    still = [
        one
        for one in parting.weights
        if one.beside and one.apart >= _STILL and one.went < one.beside / 1000
    ]
    if still:
        worst = max(still, key=lambda one: one.beside)
        moves = f"updates are rounded away (in float32 {worst.name} moves by {worst.beside:.2g})"
        if len(still) > 1:
            return f"{worst.name} and {len(still) - 1} more in {worst.dtype} do not change: their {moves}"
        return f"{worst.name} in {worst.dtype} does not change: its {moves}"
    return ""
