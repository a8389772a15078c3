"""Record a run's precision from the virtual machine's events: ops, gradients, steps, collectives."""

from __future__ import annotations

import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from ...vm.provenance.record import is_tensor
from ..torch_abi import graph_task
from .harmless import Guard, harmless
from .model import Model, State
from .module_run import Product, Region, at, origin_of
from .products import BATCHED, PRODUCTS, SOFTMAX, kernel, widest
from .running import Running

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...core.failure import Failures
    from ...vm.provenance.origin import Place
    from .module_run import ModuleRun
    from .requested import Requested


class Observed:
    """The effective precision of one run."""

    def __init__(
        self, device_type: str, failures: Failures, requested: Requested, *, tf32: bool
    ) -> None:
        """Take the machine's device type; `tf32`: its devices can multiply float32 that way."""
        self.requested = requested
        self.guard = Guard(failures)
        self.running = Running(self.guard)
        self._device_type, self._tf32 = device_type, tf32
        self._regions: list[tuple[Any, Place | None]] = []
        self._scalers: weakref.WeakKeyDictionary[Any, Place | None] = (
            weakref.WeakKeyDictionary()
        )

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch calls of modules and steps of optimizers within the block."""
        hooks = (
            register_optimizer_step_pre_hook(self._before_step),
            register_optimizer_step_post_hook(self._after_step),
        )
        try:
            with self.running.watching():
                yield
        finally:
            for hook in hooks:
                hook.remove()

    # ops

    def op(
        self, name: str, dtypes: tuple[torch.dtype, ...], device: torch.device | None
    ) -> None:
        """Record an op, with operands as cast by autocast. The hottest line of the check, so it only counts."""
        run = self.running.top()
        if run is None:
            return
        kind = PRODUCTS.get(name)
        if kind is not None:
            self._product(run, kind, name, dtypes, device)
        elif (dtype := widest(dtypes)) is not None:
            run.softmaxes += name in SOFTMAX
            run.others[dtype, device] += 1

    def _product(
        self,
        run: ModuleRun,
        kind: str,
        name: str,
        dtypes: tuple[torch.dtype, ...],
        device: torch.device | None,
    ) -> None:
        run.batched += name in BATCHED
        if kind == "attention":
            run.kernels[kernel()] += 1
        dtype = next((one for one in dtypes if one.is_floating_point), dtypes[0])
        region, tf32 = self._region(device), self._tf32_of(kind, dtype, device)
        if self.requested.any:
            self.requested.product(name, dtype, device, region and region.dtype)
        run.products[Product(kind, (dtype, device), region, tf32)] += 1

    def _region(self, device: torch.device | None) -> Region | None:
        kind = device.type if device is not None else "cpu"
        # torch raises for "meta"
        if kind not in ("cpu", self._device_type) or not torch.is_autocast_enabled(
            kind
        ):
            return None
        place = next(
            (place for one, place in reversed(self._regions) if one.device == kind),
            None,
        )
        return Region(torch.get_autocast_dtype(kind), place)

    def _tf32_of(
        self, kind: str, dtype: torch.dtype, device: torch.device | None
    ) -> bool | None:
        if not self._tf32 or dtype is not torch.float32 or device is None:
            return None
        if device.type == "cpu" or kind == "attention":
            return None
        try:
            if kind == "conv":
                return bool(torch.backends.cudnn.allow_tf32)
            return torch.get_float32_matmul_precision() != "highest"
        except RuntimeError:
            # from 2.9 on torch refuses the old names where a program used the new
            cudnn: Any = torch.backends.cudnn
            switch = cudnn.conv if kind == "conv" else torch.backends.cuda.matmul
            return bool(switch.fp32_precision == "tf32")

    # regions of autocast, as they are entered and left

    @harmless
    def entered(self, region: Any, place: Place | None) -> None:
        """Record the start of a region, which the program created at a place."""
        self._regions.append((region, place))

    @harmless
    def left(self, region: Any) -> None:
        """Record the end of a region."""
        while self._regions and self._regions.pop()[0] is not region:
            pass

    # gradients

    @harmless
    def gradient(
        self, parameter: Any, gradient: torch.Tensor, *, accumulated: bool
    ) -> None:
        """Record that autograd sets a leaf's gradient, or adds to it."""
        found = self._of(parameter)
        if found is None:
            return
        model, path = found
        into = model.training.accumulated if accumulated else model.training.gradients
        into[path] = at(gradient)[0]

    def _of(self, parameter: Any, *, known: bool = False) -> tuple[Model, str] | None:
        """Return the model that has a parameter, and the parameter's path."""
        for model in self.running.models:
            path = model.parameter(parameter)
            if path is not None:
                return model, path
        if known or not isinstance(parameter, torch.nn.Parameter):
            return None
        last = self.running.trained
        if last is None:
            return None
        return last, last.found(parameter) or f"?{id(parameter)}"

    @harmless
    def reduction(self, parameter: Any, dtype: torch.dtype) -> None:
        """Record that a parameter's gradient is reduced over ranks in this dtype."""
        found = self._of(parameter)
        if found is not None:
            found[0].training.reduced[dtype] += 1

    @harmless
    def reduced(self, op: str, tensors: Sequence[torch.Tensor]) -> None:
        """Record a reduction over ranks: of gradients if in a backward pass or if there are as many."""
        model = self.running.trained
        if model is None or "reduce" not in op:
            return
        for tensor in tensors:
            dtype = at(tensor)[0]
            if dtype.is_floating_point and (
                graph_task() != -1 or _is_of(model, tensor)
            ):
                model.training.reduced[dtype] += 1

    # optimizers

    @harmless
    def scaler(self, scaler: Any, place: Place | None) -> None:
        """Record a new GradScaler that is enabled."""
        self._scalers[scaler] = place

    @harmless
    def _before_step(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        places = [
            (place,)
            for scaler, place in self._scalers.items()
            # a scaler that is not enabled has none
            if id(optimizer) in vars(scaler).get("_per_optimizer_states", ())
        ]
        for model, path, parameter in self._stepped(optimizer):
            training = model.training
            training.stepped = True
            training.scaler = places[0] if places else training.scaler
            gradient = parameter.grad
            if gradient is not None and not path.startswith("="):
                training.gradients[path] = at(gradient)[0]
            main = vars(parameter).get("main_grad")
            if isinstance(main, torch.Tensor):
                training.accumulated[path.lstrip("=")] = at(main)[0]

    @harmless
    def _after_step(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        for model, path, parameter in self._stepped(optimizer):
            states = optimizer.state.get(parameter)
            if isinstance(states, dict):
                model.training.states[path.lstrip("=")] = tuple(_states(states))

    def _stepped(
        self, optimizer: torch.optim.Optimizer
    ) -> Iterator[tuple[Model, str, torch.Tensor]]:
        """Yield an optimizer's parameters with their models; those of master weights have "=" before the path."""
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        found = [self._of(p, known=True) for p in parameters]
        if any(found):
            for parameter, one in zip(parameters, found, strict=True):
                if one is not None:
                    yield (*one, parameter)
            return
        last = self.running.trained
        if last is not None and (paths := _masters(last, parameters)) is not None:
            for parameter, path in zip(parameters, paths, strict=True):
                yield last, f"={path}", parameter


def _masters(model: Model, parameters: Sequence[torch.Tensor]) -> list[str] | None:
    """Return the paths of the parameters of which an optimizer has copies: same number, sizes and order."""
    trained = [one for one in model.held if not one.buffer and one.trainable]
    sizes = [one.numel for one in trained]
    if [p.numel() for p in parameters] == sizes:
        return [one.path for one in trained]
    if len(parameters) == 1 and parameters[0].numel() == sum(sizes):
        return [trained[0].path]
    return None


def _states(states: dict[str, Any]) -> Iterator[State]:
    """Yield the large ones: a step, or the scales beside quantized moments, are no precision of theirs."""
    found = {
        key: value
        for key, value in states.items()
        if key != "step" and is_tensor(value)
    }
    most = max((value.numel() for value in found.values()), default=0)
    for key, value in found.items():
        if 2 * value.numel() >= most:
            yield State(str(key), value.numel(), at(value)[0], origin_of(value))


def _is_of(model: Model, tensor: torch.Tensor) -> bool:
    """Check whether a tensor holds as many numbers as one gradient of a model, or as all of them."""
    gradients = model.training.gradients
    sizes = [one.numel for one in model.held if one.path in gradients]
    return tensor.numel() > 1 and tensor.numel() in (*sizes, sum(sizes))
