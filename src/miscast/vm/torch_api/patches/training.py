"""Patch training calls to record them: backward, GradScalers, gradient clipping, optimizer creation."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import torch
from torch.amp import GradScaler
from torch.nn.utils import clip_grad

from ....running.process.patching import Patch, around
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
    for owner, name, call in (
        (torch.autograd, "backward", _backward),
        (torch.autograd, "grad", _grad),
        (GradScaler, "scale", _scale),
        (GradScaler, "step", _step),
        (GradScaler, "unscale_", _unscale),
        (GradScaler, "update", _update),
        (torch.optim.Optimizer, "__init__", _made),
        (torch.optim.Optimizer, "load_state_dict", _load),
    ):
        yield around(owner, name, call, training)
    for name in _CLIPS:
        told = around(clip_grad, name, _clip, training)
        yield told
        yield told._replace(owner=torch.nn.utils)


def _backward(
    training: Training, original: Any, tensors: Any, *args: Any, **kwargs: Any
) -> Any:
    roots = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
    training.backward(roots)
    return original(roots, *args, **kwargs)


def _grad(
    training: Training,
    original: Any,
    outputs: Any,
    inputs: Any,
    *args: Any,
    **kwargs: Any,
) -> Any:
    roots = [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)
    given = inputs if isinstance(inputs, torch.Tensor) else list(inputs)
    found = original(roots, given, *args, **kwargs)
    training.asked(roots, given, found)
    return found


def _scale(training: Training, original: Any, self: GradScaler, outputs: Any) -> Any:
    found = original(self, outputs)
    if self.is_enabled():
        for one in [found] if isinstance(found, torch.Tensor) else list(found):
            training.scaled(one)
    return found


def _step(
    training: Training,
    original: Any,
    self: GradScaler,
    /,
    optimizer: Any,
    *args: Any,
    **kwargs: Any,
) -> Any:
    if not self.is_enabled():
        return original(self, optimizer, *args, **kwargs)
    with training.scaler_steps(self, optimizer):
        try:
            return original(self, optimizer, *args, **kwargs)
        except _REFUSALS as error:
            if not training.refuses("GradScaler.step", optimizer, error):
                raise
            return None


def _unscale(
    training: Training, original: Any, self: GradScaler, optimizer: Any
) -> None:
    try:
        original(self, optimizer)
    except _REFUSALS as error:
        if not training.refuses("GradScaler.unscale_", optimizer, error):
            raise
    else:
        if self.is_enabled():
            training.unscaled(optimizer)


def _update(
    training: Training, original: Any, self: GradScaler, *args: Any, **kwargs: Any
) -> None:
    try:
        original(self, *args, **kwargs)
    except _REFUSALS as error:
        if not training.refuses("GradScaler.update", None, error):
            raise
    if self.is_enabled():
        training.updated()


def _made(
    training: Training, original: Any, self: Any, /, *args: Any, **kwargs: Any
) -> None:
    original(self, *args, **kwargs)
    training.optimizer(self, places(asks_for(self, sys._getframe(2)))[0])


def _load(training: Training, original: Any, self: Any, state_dict: Any) -> None:
    original(self, state_dict)
    training.loaded(self, state_dict)


def _clip(
    training: Training, original: Any, parameters: Any, *args: Any, **kwargs: Any
) -> Any:
    given = parameters if isinstance(parameters, torch.Tensor) else list(parameters)
    with training.clipping(given):
        return original(given, *args, **kwargs)
