"""A step's stretches, run again under the probe: the same weights, batch, generators, buffers and modes.

The weights are those of the step, since nothing has been updated yet. It is done in a fork of the process, of which
nothing comes back but what was found. Where there is a GPU no fork can do it: there gradients, buffers and what the
lines may reach of the program's memory are put back.
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, redirect_stdout
from dataclasses import dataclass
from typing import Any

import torch

from ..core.failure import spelled
from ..vm.provenance.module_members import submodules, tensors_of
from .finite import is_finite
from .flow import Event
from .kept import keeping
from .moment import Buffers, Moment, same_bits
from .origins import Origins
from .probe import Probe
from .ranks import alone, several
from .trip import Producer, Rerun

_MOST = 16
# where there is one, a fork can neither use it nor run a backward pass
_ACCELERATOR = getattr(torch, "accelerator", torch.cuda)
# from torch's refusal; some builds start autograd's threads on a machine without an accelerator, too
_NO_FORK = "in combination with fork-based multiprocessing"


class Done(BaseException):
    """Ends a stretch that is run again: its backward passes are done. No `except Exception` stops it."""


@dataclass(slots=True, kw_only=True, eq=False)
class Taken:
    """One stretch as it was run: from the model's call to its last backward pass."""

    moment: Moment
    run: Callable[[], object]
    variables: Sequence[Mapping[str, Any]]
    spaces: Sequence[Mapping[str, Any]]
    """The names of the modules that the lines are in."""
    losses: list[torch.Tensor]
    """Tensors on which `backward` was called, one per call."""


class Rehearsal:
    """A step being run again. The guard's hooks hand their calls over to it as long as it is there."""

    def __init__(self, models: Sequence[torch.nn.Module], buffers: Buffers) -> None:
        self._models = models
        self._buffers = buffers
        self._left = 0
        self.losses: list[torch.Tensor] = []

    def backward(
        self, original: Callable[..., Any], tensors: Any, args: Any, kwargs: Any
    ) -> None:
        """Replace `torch.autograd.backward`; the last call of a segment ends it."""
        losses = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
        self.losses += [one.detach() for one in losses]
        original(tensors, *args, **kwargs)
        self._left -= 1
        if self._left <= 0:
            raise Done

    def run(
        self,
        taken: Sequence[Taken],
        parameters: Sequence[torch.Tensor],
        *,
        compared: Sequence[torch.Tensor],
    ) -> Rerun:
        """Run them in a fork of the process; where that cannot be, in the process, and put back what they change."""

        def run() -> Rerun:
            return self._run(taken, parameters, compared=compared)

        if sys.platform == "linux" and not _ACCELERATOR.is_available():
            from .apart import apart

            found = apart(run)
            if _NO_FORK not in found.failed:
                return found
        modules = [one for model in self._models for _, one in submodules(model)]
        held = [m for one in taken for m in (*one.variables, *one.spaces)]
        with keeping([*modules, *held]):
            return run()

    def _run(
        self,
        taken: Sequence[Taken],
        parameters: Sequence[torch.Tensor],
        *,
        compared: Sequence[torch.Tensor],
    ) -> Rerun:
        """Run the segments in order. `compared`: parameters whose gradients are unchanged since the backward pass."""
        origins = Origins(self._models)
        for one in taken:
            for variables in one.variables:
                origins.hand(variables)
        probe = Probe(origins)
        before = [(p, p.grad) for p in parameters]
        # several ranks have averaged theirs
        theirs = [] if several() else [(p, p.grad) for p in compared]
        begin = time.perf_counter()
        failed = ""
        with ExitStack() as stack:
            stack.enter_context(alone(self._models))
            stack.enter_context(_gradients(before))
            stack.enter_context(self._buffers.again())
            stack.enter_context(redirect_stdout(io.StringIO()))
            stack.enter_context(_eagerly())
            try:
                for one in taken:
                    self._one(one, probe)
            except Exception as error:  # noqa: BLE001 - the program's, in a state that it did not expect
                failed = f"it failed with {spelled(error)}"
            seconds = time.perf_counter() - begin
            bad = _not_finite(probe, self.losses, [p.grad for p in parameters])
            equal, what = self._compared(taken, theirs)
        first = probe.flow.first(bad)
        if not first and not failed and several():
            failed = "this rank's part of the step is finite: see the reports of the other ranks"
        return Rerun(
            producers=tuple(_told(one) for one in first[:_MOST]),
            carried=probe.flow.number("carrier"),
            ops=probe.ops,
            seconds=seconds,
            equal=equal,
            compared=what,
            failed=failed,
        )

    def _one(self, taken: Taken, probe: Probe) -> None:
        self._left = len(taken.losses)
        with taken.moment.again(), probe:
            try:
                taken.run()
            except Done:
                return

    def _compared(
        self,
        taken: Sequence[Taken],
        before: Sequence[tuple[torch.Tensor, torch.Tensor | None]],
    ) -> tuple[bool | None, str]:
        """Check whether the losses and these gradients are bit-identical to the original ones."""
        theirs = [loss for one in taken for loss in one.losses]
        if len(theirs) != len(self.losses):
            return None, ""
        equal = all(map(same_bits, theirs, self.losses))
        for parameter, gradient in before:
            now = parameter.grad
            if (now is None) != (gradient is None):
                return False, "loss and gradients"
            if now is not None and gradient is not None:
                equal = equal and same_bits(now, gradient)
        return equal, "loss and gradients" if before else "loss"


def _told(event: Event) -> Producer:
    if event.told is not None:
        return event.told
    return Producer(op="", tensor="uninitialized memory", nan=1)


def _not_finite(
    probe: Probe,
    losses: Sequence[torch.Tensor],
    gradients: Sequence[torch.Tensor | None],
) -> list[Event]:
    """Return the events that wrote non-finite losses or, if all losses are finite, non-finite gradients."""
    for tensors in (losses, [one for one in gradients if one is not None]):
        found = [probe.flow.of(one) for one in tensors if not is_finite(one.detach())]
        known = [one for one in found if one is not None]
        if known:
            return known
    return []


@contextmanager
def _gradients(
    before: Sequence[tuple[torch.Tensor, torch.Tensor | None]],
) -> Iterator[None]:
    """Clear the gradients within the block, and restore them after it."""
    for parameter, _ in before:
        parameter.grad = None
    try:
        yield
    finally:
        for parameter, gradient in before:
            parameter.grad = gradient


def _eagerly() -> Any:
    """Return a context that runs compiled code as Python, since ops within one kernel cannot be told apart."""
    if "torch._dynamo" not in sys.modules:
        return nullcontext()
    return torch.compiler.set_stance("force_eager")


def all_parameters(
    models: Sequence[torch.nn.Module], more: Sequence[torch.Tensor]
) -> list[torch.Tensor]:
    """Return each parameter once, including those of optimizers only."""
    found = {id(p): p for m in models for p in tensors_of(m, "_parameters")}
    found |= {id(p): p for p in more}
    return list(found.values())
