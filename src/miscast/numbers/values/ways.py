"""Measure each weight's distance since the first update, in the program and its twin."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

from ...vm.provenance.module_members import named_tensors
from . import record
from .parting import Way
from .sums import sampled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .precision import Precision
    from .watch import Watch


class Ways:
    """The distances of each parameter, in up to 4,096 elements."""

    def __init__(
        self, watch: Watch, precision: Precision, quietly: Callable[[], Any]
    ) -> None:
        """Prepare to measure updates; `quietly` is a context in which ops are ignored."""
        self._watch, self._precision, self._quietly = watch, precision, quietly
        self._names: dict[int, str] = {}
        self._starts: dict[int, tuple[torch.Tensor, torch.Tensor, torch.Tensor]] = {}

    @contextmanager
    def on(self) -> Iterator[None]:
        """Watch optimizers within the block."""
        handle = register_optimizer_step_pre_hook(self._begin)
        try:
            yield
        finally:
            handle.remove()

    def _begin(self, optimizer: Any, _args: Any, _kwargs: Any) -> None:
        with torch.no_grad(), self._quietly():
            new = False
            for group in optimizer.param_groups:
                for one in group["params"]:
                    if (
                        id(one) not in self._starts
                        and one.grad is not None
                        and record.is_plain(one)
                    ):
                        self._starts[id(one)] = (one, *self._now(one))
                        new = True
            if new:
                self._name()

    def _name(self) -> None:
        """Name the parameters now, since the modules may be gone at the end."""
        for path, root in self._watch.roots():
            for name, one in named_tensors(root, "_parameters"):
                self._names.setdefault(id(one), f"{path}.{name}")

    def _now(self, one: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        twin = record.shadow(one, self._precision)
        return _copied(one.detach()), _copied(twin)

    def found(self) -> Iterator[Way]:
        """Yield the weights that diverged, the furthest first."""
        found = []
        with torch.no_grad():
            for number, (one, start, beside) in enumerate(self._starts.values()):
                now, twin = self._now(one)
                way, right = now - start, twin - beside
                size = float(torch.linalg.vector_norm(right))
                found.append(
                    Way(
                        name=self._names.get(id(one), f"parameter {number}"),
                        dtype=str(one.dtype)[6:],
                        went=float(torch.linalg.vector_norm(way)),
                        beside=size,
                        apart=float(torch.linalg.vector_norm(way - right)) / size if size else 0.0,
                    )
                )  # fmt: skip
        yield from sorted(
            (one for one in found if one.apart), key=lambda one: -one.apart
        )


def _copied(tensor: torch.Tensor) -> torch.Tensor:
    return sampled(tensor).to(torch.float64, copy=True)
