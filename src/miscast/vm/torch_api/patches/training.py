"""Patch training calls to record them: backward, GradScalers, gradient clipping, optimizer creation."""

from __future__ import annotations

import sys
from functools import wraps
from typing import TYPE_CHECKING, Any

import torch
from torch.amp import GradScaler
from torch.nn.utils import clip_grad

from ....running.process.patching import Patch
from ...provenance.origin import asks_for, places

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....numbers.ranges.training import Training
    from ...machine import VirtualMachine

_REFUSALS = (AssertionError, RuntimeError)
_CLIPS = ("clip_grad_norm_", "clip_grad_value_")


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch the calls of a training run to do the same as before, and be recorded."""
    training = vm.numerics.training
    yield Patch(
        torch.autograd, "backward", _backward(training, torch.autograd.backward)
    )
    yield Patch(torch.autograd, "grad", _grad(training, torch.autograd.grad))
    yield Patch(GradScaler, "scale", _scale(training, GradScaler.scale))
    yield Patch(GradScaler, "step", _step(training, GradScaler.step))
    yield Patch(GradScaler, "unscale_", _unscale(training, GradScaler.unscale_))
    yield Patch(GradScaler, "update", _update(training, GradScaler.update))
    yield Patch(
        torch.optim.Optimizer,
        "__init__",
        _made(training, torch.optim.Optimizer.__init__),
    )
    yield Patch(
        torch.optim.Optimizer,
        "load_state_dict",
        _load(training, torch.optim.Optimizer.load_state_dict),
    )
    for name in _CLIPS:
        original = getattr(clip_grad, name)
        told = _clip(training, original)
        yield Patch(clip_grad, name, told)
        yield Patch(torch.nn.utils, name, told)


def _backward(training: Training, original: Any) -> Any:
    @wraps(original)
    def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
        roots = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
        training.backward(roots)
        return original(roots, *args, **kwargs)

    return backward


def _grad(training: Training, original: Any) -> Any:
    @wraps(original)
    def grad(outputs: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        roots = [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)
        given = inputs if isinstance(inputs, torch.Tensor) else list(inputs)
        found = original(roots, given, *args, **kwargs)
        training.asked(roots, given, found)
        return found

    return grad


def _scale(training: Training, original: Any) -> Any:
    @wraps(original)
    def scale(self: GradScaler, outputs: Any) -> Any:
        found = original(self, outputs)
        if self.is_enabled():
            for one in [found] if isinstance(found, torch.Tensor) else list(found):
                training.scaled(one)
        return found

    return scale


def _step(training: Training, original: Any) -> Any:
    @wraps(original)
    def step(self: GradScaler, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        if not self.is_enabled():
            return original(self, optimizer, *args, **kwargs)
        with training.scaler_steps(self, optimizer):
            try:
                return original(self, optimizer, *args, **kwargs)
            except _REFUSALS as error:
                if not training.refuses("GradScaler.step", optimizer, error):
                    raise
                return None

    return step


def _unscale(training: Training, original: Any) -> Any:
    @wraps(original)
    def unscale(self: GradScaler, optimizer: Any) -> None:
        try:
            original(self, optimizer)
        except _REFUSALS as error:
            if not training.refuses("GradScaler.unscale_", optimizer, error):
                raise
        else:
            if self.is_enabled():
                training.unscaled(optimizer)

    return unscale


def _update(training: Training, original: Any) -> Any:
    @wraps(original)
    def update(self: GradScaler, *args: Any, **kwargs: Any) -> None:
        try:
            original(self, *args, **kwargs)
        except _REFUSALS as error:
            if not training.refuses("GradScaler.update", None, error):
                raise
        if self.is_enabled():
            training.updated()

    return update


def _made(training: Training, original: Any) -> Any:
    @wraps(original)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        training.optimizer(self, places(asks_for(self, sys._getframe(1)))[0])

    return init


def _load(training: Training, original: Any) -> Any:
    @wraps(original)
    def load_state_dict(self: Any, state_dict: Any) -> None:
        original(self, state_dict)
        training.loaded(self, state_dict)

    return load_state_dict


def _clip(training: Training, original: Any) -> Any:
    @wraps(original)
    def clip(parameters: Any, *args: Any, **kwargs: Any) -> Any:
        given = parameters if isinstance(parameters, torch.Tensor) else list(parameters)
        with training.clipping(given):
            return original(given, *args, **kwargs)

    return clip
