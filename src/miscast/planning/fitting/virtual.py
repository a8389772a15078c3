"""A candidate on the virtual machine: what it holds at its peak, and what its kernels have to do in a step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

from ...running.process.patching import Patch, applied
from ..forecast.forecast import forecast
from ..forecast.meter import Meter
from ..forecast.rates import rates_of
from .attention import Attention
from .candidate import VirtualFit
from .compiled_step import compiled_step
from .components import Components
from .ending import ended_after

if TYPE_CHECKING:
    from ...vm.machine import VirtualMachine


class Virtual:
    """One run: `begin` before it, `shown` after it."""

    def __init__(self, fit: VirtualFit) -> None:
        self._components = Components(fit.candidate, self._converted, self._exchanged)
        self._steps, self._states = fit.steps, fit.candidate.states
        self._tf32 = False
        self._optimizers: set[str] = set()
        self._scalers: set[bool] = set()

    def begin(self, vm: VirtualMachine) -> None:
        """Set up the run. Must be called before the machine is on."""
        self._vm = vm
        self._meter = Meter(vm.machine.device)
        vm.memory.boundless()
        vm.dispatcher.meter(self._meter)
        self._attention = Attention(vm.machine)
        vm.dispatcher.composed.attended = self._attention
        vm.around.append(self._on())
        vm.leaving.append(self._leave)

    @contextmanager
    def _on(self) -> Iterator[None]:
        hook = register_optimizer_step_pre_hook(self._steps_with)
        try:
            with (
                ExitStack() as stack,
                self._components.on(),
                scaled(self._scalers.add),
                ended_after(self._steps, self._stepped),
            ):
                if self._states == "torchao":
                    step = compiled_step(self._vm.memory, self._meter)
                    stack.enter_context(step)
                yield
        finally:
            hook.remove()

    def _leave(self) -> None:
        self._look()
        self._components.unshard()

    def _converted(self) -> None:
        """Forget the memory held before a named module was converted, which is not part of the candidate."""
        self._vm.memory.forget()

    def _exchanged(self, tensor: torch.Tensor, size: int) -> None:
        self._meter.exchanged(tensor, size)

    def _steps_with(self, optimizer: Any, *_: Any) -> None:
        self._optimizers.add(type(optimizer).__name__)

    def _stepped(self) -> None:
        self._meter.stepped()
        self._attention.stepped()
        self._look()

    def _look(self) -> None:
        try:
            self._tf32 = torch.get_float32_matmul_precision() != "highest"
        except RuntimeError:  # the program used the switches of torch 2.9
            self._tf32 = torch.backends.cuda.matmul.fp32_precision == "tf32"

    def shown(self) -> dict[str, Any]:
        """Return the result as JSON data."""
        rates, work = rates_of(self._vm.machine), self._meter.work
        said = None
        if rates is not None and work:
            said = forecast(work, rates, tf32=self._tf32)
        return {
            "components": self._components.shown(),
            "steps": self._meter.steps,
            "optimizers": sorted(self._optimizers),
            "scaler": {True: "on", False: "off", None: "none"}[
                max(self._scalers, default=None)
            ],
            "attention": self._attention.shown(),
            "forecast": None if said is None else asdict(said),
        }


@contextmanager
def scaled(told: Callable[[bool], None]) -> Iterator[None]:
    """Call `told` for each loss that a scaler is given, with whether the scaler is on, within the block."""
    original = torch.amp.GradScaler.scale

    def scale(self: Any, outputs: Any) -> Any:
        told(self.is_enabled())
        return original(self, outputs)

    with applied([Patch(torch.amp.GradScaler, "scale", scale)]):
        yield
