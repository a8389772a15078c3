"""Another optimizer that steps in the place of the program's: the program's keeps its groups, and what hangs on it.

with stepping(eight_bit("torchao")):
    ...                                  # torch.optim.Adam and AdamW step as what `eight_bit` makes of each
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from torch.optim import Adam, AdamW, Optimizer

from ...running.process.patching import Patch, applied

Step = Callable[[], Any]
REPLACED = (Adam, AdamW)


@contextmanager
def stepping(make: Callable[[Optimizer], Step]) -> Iterator[None]:
    """Replace each optimizer's step within the block by the one that `make` returns at its first step."""
    steps: WeakKeyDictionary[Optimizer, Step] = WeakKeyDictionary()
    plain = {kind: _plain(kind) for kind in REPLACED}

    def step(optimizer: Any, closure: Callable[[], Any] | None = None) -> Any:
        kind = type(optimizer)
        if kind not in REPLACED:
            # a class of the program's, which says itself what it does
            own = plain[AdamW if isinstance(optimizer, AdamW) else Adam]
            return Optimizer.profile_hook_step(own)(optimizer, closure)
        loss = closure() if closure is not None else None
        if optimizer not in steps:
            steps[optimizer] = make(optimizer)
        steps[optimizer]()
        return loss

    marked: Any = step
    marked.hooked = True  # torch's hooks are for what steps, not for what stands aside
    with applied(Patch(kind, "step", step) for kind in REPLACED):
        yield


def _plain(kind: type[Optimizer]) -> Callable[..., Any]:
    """Return the step without torch's hooks, which are called for the replaced one."""
    said: Any = kind.step
    bare: Callable[..., Any] = getattr(said, "__wrapped__", said)
    return bare if getattr(said, "hooked", False) else said


def follow(own: Optimizer, theirs: Optimizer) -> None:
    """Copy the program's current learning rates and decay to `own`: a scheduler may have changed them."""
    for group, said in zip(own.param_groups, theirs.param_groups, strict=True):
        for key in ("lr", "weight_decay"):
            if hasattr(group[key], "fill_"):
                group[key].fill_(said[key])
            else:
                group[key] = said[key]
