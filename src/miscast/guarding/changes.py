"""Dtypes and devices that change under way: of parameters, their gradients, and what the optimizer keeps of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch

from .watches import Judged

Kinds = tuple[torch.dtype, torch.device]
_HELP = "check what was loaded, moved or cast since the last step"


class Changes:
    """Dtypes and devices when they were first seen."""

    def __init__(self, names: Mapping[int, str]) -> None:
        """Take the parameters' names, by `id`."""
        self._names = names
        self._known: dict[tuple[int, str], Kinds] = {}

    def judge(self, optimizer: torch.optim.Optimizer) -> list[Judged]:
        """Return the dtypes and devices that have changed; each change is reported once."""
        found = []
        for parameter, part, tensor in _tensors(optimizer):
            now = tensor.dtype, tensor.device
            before = self._known.setdefault((id(parameter), part), now)
            if before != now:
                self._known[id(parameter), part] = now
                found.append((parameter, part, before, now))
        if not found:
            return []
        parameter, part, before, now = found[0]
        name = self._names.get(id(parameter), "a parameter")
        more = f", and {len(found) - 1} more changes" if len(found) > 1 else ""
        what = f"{part} {name} was {_told(before, now)} and is now {_told(now, before)}{more}"
        return [("changed", what, _HELP)]


def _tensors(
    optimizer: torch.optim.Optimizer,
) -> Iterator[tuple[torch.Tensor, str, torch.Tensor]]:
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            yield parameter, "the parameter", parameter
            if parameter.grad is not None:
                yield parameter, "the gradient of", parameter.grad
            for key, value in optimizer.state.get(parameter, {}).items():
                if isinstance(value, torch.Tensor) and value.dim():
                    yield parameter, f"the optimizer's {key} of", value


def _told(one: Kinds, other: Kinds) -> str:
    """Return the dtype, and the device where that is what differs."""
    dtype = str(one[0])[6:]
    return dtype if one[1] == other[1] else f"{dtype} on {one[1]}"
