"""Word of a model's call, without being part of what is compiled, copied or saved with the model."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch

Arguments = tuple[tuple[Any, ...], dict[str, Any]]
Told = Callable[[FrameType, Arguments | None], None]


class Door:
    """A forward pre-hook that tells in which frame a model was called, and with what. A copy of it tells nobody."""

    def __init__(self, told: Told | None = None) -> None:
        self._told = told

    def __call__(self, module: torch.nn.Module, args: Any, kwargs: Any) -> None:  # noqa: ARG002 - a hook's signature
        """Report the call; does nothing within compiled code."""
        if not torch.compiler.is_compiling() and self._told is not None:
            self._told(sys._getframe(1), (args, kwargs))

    def __deepcopy__(self, _: dict[int, Any]) -> Door:
        return Door()

    def __reduce__(self) -> tuple[type[Door], tuple[()]]:
        return Door, ()


class CompiledCall:
    """Stands around a call that `model.compile()` has compiled, hooks and all; `remove` puts that back."""

    def __init__(self, model: torch.nn.Module, told: Told) -> None:
        self._model = model
        # what `Module.__call__` goes to once `compile()` was called; there is no public name for it
        self._compiled: Callable[..., Any] = model._compiled_call_impl  # type: ignore[assignment]

        def called(*args: Any, **kwargs: Any) -> Any:
            told(sys._getframe(1), (args, kwargs))
            return self._compiled(*args, **kwargs)

        self._ours = called
        model._compiled_call_impl = called

    def remove(self) -> None:
        """Restore the compiled call, unless the model was compiled again since."""
        if self._model._compiled_call_impl is self._ours:
            self._model._compiled_call_impl = self._compiled


def watched(model: torch.nn.Module, told: Told) -> list[Any]:
    """Watch a model's calls; return the handles, each with a `remove`."""
    doors: list[Any] = [model.register_forward_pre_hook(Door(told), with_kwargs=True)]
    if getattr(model, "_compiled_call_impl", None) is not None:
        doors.append(CompiledCall(model, told))
    return doors
