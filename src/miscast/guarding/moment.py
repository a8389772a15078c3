"""Save and restore a step's other inputs than weights and batch: generators, autocast, buffers.

torch's own generators cost a microsecond each. Python's and numpy's cost a hundred: they are kept where the budget
allows it.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from ..vm.provenance.module_members import tensors_of

_AUTOCAST_DEVICES = ("cpu", "cuda")
_LARGE = 1 << 24
"""Bytes of buffers that change with a step; more are not copied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """The generators and the modes at one moment."""

    cpu: torch.Tensor
    cuda: torch.Tensor | None
    others: tuple[tuple[torch.Generator, torch.Tensor], ...]
    python: Any = None
    numpy: Any = None
    autocast: tuple[tuple[bool, torch.dtype], ...]
    grad: bool

    @contextmanager
    def again(self) -> Iterator[None]:
        """Restore the moment's generators and modes within the block, and the current ones after it."""
        now = taken([generator for generator, _ in self.others], whole=True)
        with ExitStack() as modes:
            modes.enter_context(torch.set_grad_enabled(self.grad))
            for device, (enabled, dtype) in zip(
                _AUTOCAST_DEVICES, self.autocast, strict=True
            ):
                if enabled != torch.is_autocast_enabled(device) or enabled:
                    modes.enter_context(torch.autocast(device, dtype, enabled=enabled))
            self._restore()
            try:
                yield
            finally:
                now._restore()

    def _restore(self) -> None:
        torch.set_rng_state(self.cpu)
        if self.cuda is not None:
            torch.cuda.set_rng_state(self.cuda)
        for generator, state in self.others:
            generator.set_state(state)
        if self.python is not None:
            random.setstate(self.python)
        if self.numpy is not None:
            sys.modules["numpy"].random.set_state(self.numpy)


def taken(generators: Iterable[torch.Generator], *, whole: bool) -> Moment:
    """Return the state of this moment; `whole` includes Python's and numpy's generators."""
    numpy = sys.modules.get("numpy") if whole else None
    return Moment(
        cpu=torch.get_rng_state(),
        cuda=torch.cuda.get_rng_state() if torch.cuda.is_initialized() else None,
        others=tuple((one, one.get_state()) for one in generators),
        python=random.getstate() if whole else None,
        numpy=numpy.random.get_state() if numpy is not None else None,
        autocast=tuple(
            (torch.is_autocast_enabled(device), torch.get_autocast_dtype(device))
            for device in _AUTOCAST_DEVICES
        ),
        grad=torch.is_grad_enabled(),
    )


class Buffers:
    """Copies of the buffers that a step changes: those whose version has moved since they were copied last.

    The first step finds out which these are; constant buffers, as masks and frequencies, are never copied again.
    """

    def __init__(self) -> None:
        self._all: list[torch.Tensor] = []
        self._copies: dict[int, tuple[int, torch.Tensor]] = {}
        self.kept = True

    def add(self, model: torch.nn.Module) -> None:
        """Add a model's buffers; nothing is copied yet."""
        known = {id(one) for one in self._all}
        self._all += [b for b in tensors_of(model, "_buffers") if id(b) not in known]
        self.kept = sum(b.nbytes for b in self._all) <= _LARGE

    def keep(self) -> None:
        """Have the copies say what the buffers hold now."""
        if not self.kept:
            return
        for buffer in self._all:
            version = buffer._version
            known = self._copies.get(id(buffer))
            if known is None or known[0] != version:
                copy = buffer.detach().clone() if known is None else known[1]
                if known is not None:
                    copy.copy_(buffer.detach())
                self._copies[id(buffer)] = version, copy

    @contextmanager
    def again(self) -> Iterator[None]:
        """Restore the kept buffers within the block; after it, restore the previous values of those that changed."""
        now = [(b, b.detach().clone()) for b in self._all]
        with torch.no_grad():
            for buffer in self._all:
                known = self._copies.get(id(buffer))
                if known is not None and known[0] != buffer._version:
                    buffer.copy_(known[1])
        try:
            yield
        finally:
            with torch.no_grad():
                for buffer, value in now:
                    if not same_bits(buffer, value):
                        buffer.copy_(value)


def same_bits(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Check whether two tensors of one shape and dtype have the same bits; NaN is like NaN."""
    if one.is_floating_point():
        return bool(((one == other) | (one.isnan() & other.isnan())).all())
    return torch.equal(one, other)
