"""torchao's step, which it compiles: one kernel that reads and writes what it is given.

Run op by op, as the virtual machine runs it, it would hold float32 copies of the states, which the compiled one never
makes (torchao/optim/adam.py: `single_param_adam` under torch.compile with fullgraph=True, one parameter at a time).
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...running.process.patching import Patch, applied
from ...vm.provenance.record import is_tensor
from ...vm.wrapper_subclasses import parts

if TYPE_CHECKING:
    from ...vm.memory import Memory
    from ..forecast.meter import Meter

_STEP = "single_param_adam"


@contextmanager
def compiled_step(memory: Memory, meter: Meter) -> Iterator[None]:
    """Count torchao's step as one kernel, with no memory of its own, within the block."""
    adam: Any = importlib.import_module("torchao.optim.adam")
    original = getattr(adam, _STEP)

    def step(*args: Any, **kwargs: Any) -> Any:
        tensors = filter(is_tensor, (*args, *kwargs.values()))
        given = [part for one in tensors for part in parts(one)]
        with memory.aside(), meter.as_one(given):
            return original(*args, **kwargs)

    with applied([Patch(adam, _STEP, step)]):
        yield
