"""Measure the change of weights by an update, per module, and find weights that no update changes.

Of each parameter up to 64 elements are looked at, before and after an update. In bfloat16 a weight of 1 has neighbours
at 0.996 and 1.008: an update of 1e-4 is rounded away, every time, and the weight stands still for ever.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from .reading import Reading
from .watches import Judged

_EACH = 64  # elements per parameter: enough that not all of them are special, few enough to be copied at every look
_MODULES = 24  # lines that fit on a screen
_HALF = (torch.bfloat16, torch.float16)
# A weight that moves every tenth step is sound: judged over 100 steps, seen 5 times at least, elements that had a
# gradient three times.
_WINDOW = 100
_LOOKS = 5
_TRIED = 3
_KEPT = re.compile("master|kahan|comp|copies|float32", re.IGNORECASE)
"""Optimizers' names for float32 copies or the rounded-off rest: such weights change later."""
_HELP = (
    "an update below half a unit in the last place is rounded away: keep float32 copies (miscast.Policy.optimizer), or"
    " round stochastically"
)


@dataclass(slots=True, kw_only=True, eq=False)
class _Sample:
    """The elements of all parameters, one after another, as float64; and whether each one's gradient is not zero."""

    values: torch.Tensor
    pushed: torch.Tensor


class Weights:
    """One optimizer's weights."""

    def __init__(
        self, optimizer: torch.optim.Optimizer, names: Mapping[int, str], *, wait: bool
    ) -> None:
        """Take the parameters' names, by `id`."""
        self._optimizer, self._wait = optimizer, wait
        self._parameters: list[torch.Tensor] = []
        self._names: list[str] = []
        self._all_names = names
        self._modules: list[str] = []
        self._before: _Sample | None = None
        self._last: torch.Tensor | None = None
        self._waiting: tuple[int, Reading] | None = None
        self._since, self._looks = 0, 0

    def before(self) -> None:
        """Sample the weights before an update."""
        parameters = [
            p
            for group in self._optimizer.param_groups
            for p in group["params"]
            if p.grad is not None
        ]
        if not _alike(parameters, self._parameters):
            self._meet(parameters)
        self._before = self._sampled() if parameters else None

    def after(self, step: int) -> tuple[dict[str, Any] | None, list[Judged]]:
        """Return a log line, of this step or an earlier one, and the problems found after an update."""
        if self._before is None:
            return None, []
        before, self._before = self._before, None
        values = self._values()
        moved = values != before.values
        if self._last is not None:
            moved |= before.values != self._last
        self._last = values
        self._tried += before.pushed
        self._moved |= moved
        self._looks += 1
        sums = torch.zeros(
            2, len(self._modules), dtype=torch.float64, device=values.device
        )
        sums[0].index_add_(0, self._module_of, before.values.square())
        sums[1].index_add_(0, self._module_of, (values - before.values).square())
        line = self._line()
        self._waiting = (step, Reading(list(sums.flatten().unbind()), wait=self._wait))
        line = self._line() or line
        return line, self._still(step)

    def _meet(self, parameters: Sequence[torch.Tensor]) -> None:
        """Assign the sampled elements to a new set of parameters."""
        self._parameters = list(parameters)
        self._names = [
            self._all_names.get(id(p), f"parameter {i}")
            for i, p in enumerate(parameters)
        ]
        modules = _grouped(self._names)
        self._modules = list(dict.fromkeys(modules))
        device = _flat(parameters[0]).device
        sizes = torch.tensor([_flat(p).numel() for p in parameters])
        self._owner = torch.arange(len(parameters)).repeat_interleave(sizes)
        numbers = torch.tensor([self._modules.index(one) for one in modules])
        self._module_of = numbers[self._owner].to(device)
        self._last = None
        self._restart(0)

    def _restart(self, step: int) -> None:
        count, device = len(self._module_of), self._module_of.device
        self._tried = torch.zeros(count, dtype=torch.int32, device=device)
        self._moved = torch.zeros(count, dtype=torch.bool, device=device)
        self._since, self._looks = step, 0

    def _values(self) -> torch.Tensor:
        return torch.cat([_flat(p.detach()).double() for p in self._parameters])

    def _sampled(self) -> _Sample:
        rates = {
            id(p): float(group.get("lr", 1))
            for group in self._optimizer.param_groups
            for p in group["params"]
        }
        pushed = [
            (_flat(p.grad) != 0) & (rates[id(p)] != 0)
            for p in self._parameters
            if p.grad is not None
        ]
        return _Sample(values=self._values(), pushed=torch.cat(pushed))

    def _line(self) -> dict[str, Any] | None:
        """Return the ratio of update norm to weight norm by module, once the values have arrived."""
        if self._waiting is None:
            return None
        step, reading = self._waiting
        values = reading.values()
        if values is None:
            return None
        self._waiting = None
        count = len(self._modules)
        found = {}
        for name, weight, update in zip(
            self._modules, values[:count], values[count:], strict=True
        ):
            ratio = (update / weight) ** 0.5 if weight else 0.0
            found[name] = float(f"{ratio:.4g}")
        return {"step": step, "ratios": found}

    def _still(self, step: int) -> list[Judged]:
        """Return the half-precision parameters in which every element pushed three times did not move."""
        if self._since == 0:
            self._since = step
        if step - self._since < _WINDOW or self._looks < _LOOKS:
            return []
        tried = (self._tried >= _TRIED).cpu()
        moved = self._moved.cpu()
        window = step - self._since
        self._restart(step)
        stuck = [] if self._keeps_more() else self._stuck(tried, moved)
        if not stuck:
            return []
        dtypes = Counter(str(self._parameters[i].dtype)[6:] for i in stuck)
        first = ", ".join(self._names[i] for i in stuck[:3]) + (
            ", …" if len(stuck) > 3 else ""
        )
        what = (
            f"{len(stuck)} of {len(self._parameters)} parameters ({', '.join(dtypes)}) have not changed in {window} "
            f"steps, although their gradients are not zero: {first}"
        )
        return [("still", what, _HELP)]

    def _keeps_more(self) -> bool:
        """Return True if the optimizer keeps what the weights round away."""
        states = (key for one in self._optimizer.state.values() for key in one)
        return any(_KEPT.search(str(key)) for key in (*vars(self._optimizer), *states))

    def _stuck(self, tried: torch.Tensor, moved: torch.Tensor) -> list[int]:
        """Return the half-precision parameters of which no pushed element moved, and several were pushed."""
        count = len(self._parameters)
        several = torch.bincount(self._owner[tried], minlength=count).tolist()
        free = torch.bincount(self._owner[tried & moved], minlength=count).tolist()
        return [
            i
            for i, one in enumerate(self._parameters)
            if one.dtype in _HALF and several[i] >= min(8, one.numel()) and not free[i]
        ]


def _flat(tensor: torch.Tensor) -> torch.Tensor:
    """Return up to 64 elements, evenly spaced; of a DTensor, local ones."""
    local: torch.Tensor = tensor.to_local() if hasattr(tensor, "to_local") else tensor
    flat = local.detach().reshape(-1)
    return flat[:: max(1, flat.numel() // _EACH)][:_EACH]


def _alike(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> bool:
    return len(one) == len(other) and all(
        a is b for a, b in zip(one, other, strict=True)
    )


def _grouped(names: Sequence[str]) -> list[str]:
    """Return the modules of parameters, as deep as there are at most 24 of them."""
    parents = [name.rpartition(".")[0] or name for name in names]
    depth = max(parent.count(".") + 1 for parent in parents)
    while depth > 1:
        found = [".".join(parent.split(".")[:depth]) for parent in parents]
        if len(set(found)) <= _MODULES:
            return found
        depth -= 1
    return [parent.split(".")[0] for parent in parents]
