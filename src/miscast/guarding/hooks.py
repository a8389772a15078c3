"""Word of what torch does anyway: backward passes, norms for clipping, steps that a GradScaler skips.

Functions of torch's are replaced by ones that call them, and tell. Putting them back leaves torch as it was; where
somebody else has replaced them since, ours stay, and tell nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.utils import clip_grad

if TYPE_CHECKING:
    from .watch import Guard


class Hooks:
    """The replacements of one guard, its listener, from `install` to `remove`."""

    def __init__(self, listener: Guard) -> None:
        self._given = listener
        self._listener: Guard | None = None
        self._replaced: list[tuple[Any, str, Any, Any]] = []

    def install(self) -> None:
        """Replace them."""
        self._listener = self._given
        scaler = torch.amp.GradScaler
        self._replace(torch.autograd, "backward", self._backward)
        # `clip_grad_norm_` finds it by its name here, also where a program has imported `clip_grad_norm_` itself
        self._replace(clip_grad, "_get_total_norm", self._total_norm)
        self._replace(scaler, "scale", self._scale)
        self._replace(scaler, "_maybe_opt_step", self._scaler_step)
        self._replace(scaler, "update", self._update)

    def remove(self) -> None:
        """Put them back."""
        self._listener = None
        for owner, name, original, ours in reversed(self._replaced):
            if vars(owner).get(name) is ours:
                setattr(owner, name, original)
        self._replaced = []

    def _replace(self, owner: Any, name: str, made: Callable[[Any], Any]) -> None:
        original = vars(owner).get(name)
        if original is not None:
            ours = made(original)
            ours.__wrapped__ = original
            ours.__name__, ours.__doc__ = name, original.__doc__
            setattr(owner, name, ours)
            self._replaced.append((owner, name, original, ours))

    def _backward(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def backward(tensors: Any, *args: Any, **kwargs: Any) -> None:
            if self._listener is None:
                original(tensors, *args, **kwargs)
            else:
                self._listener.backward(original, tensors, args, kwargs)

        return backward

    def _total_norm(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def total_norm(
            tensors: Any, norm_type: float = 2.0, *args: Any, **kwargs: Any
        ) -> Any:
            tensors = tensors if isinstance(tensors, torch.Tensor) else list(tensors)
            norm = original(tensors, norm_type, *args, **kwargs)
            if self._listener is not None and isinstance(tensors, list):
                self._listener.clipping(len(tensors), norm, float(norm_type))
            return norm

        return total_norm

    def _scale(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def scale(scaler: torch.amp.GradScaler, outputs: Any) -> Any:
            if self._listener is not None:
                self._listener.scaled(scaler, outputs)
            return original(scaler, outputs)

        return scale

    def _scaler_step(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def step(
            scaler: Any, optimizer: torch.optim.Optimizer, *args: Any, **kwargs: Any
        ) -> Any:
            def go_on() -> Any:
                return original(scaler, optimizer, *args, **kwargs)

            if self._listener is None:
                return go_on()
            return self._listener.scaler_steps(optimizer, go_on)

        return step

    def _update(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def update(scaler: torch.amp.GradScaler, *args: Any, **kwargs: Any) -> None:
            original(scaler, *args, **kwargs)
            if self._listener is not None:
                self._listener.scaler_updated(scaler)

        return update
