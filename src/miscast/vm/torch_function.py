"""Attributes of torch.Tensor that a class with `__torch_function__` is asked about first, as it is for torch's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import handle_torch_function, has_torch_function_unary

if TYPE_CHECKING:
    from collections.abc import Callable


def asked_first(name: str, value: Any) -> Any:
    """Wrap `value`, the new method or property `torch.Tensor.name`, so that the tensor's class is asked first."""
    before = getattr(torch.Tensor, name)

    def asking(run: Callable[..., Any], part: str) -> Any:
        def ask(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
            if not has_torch_function_unary(self):
                return run(self, *args, **kwargs)
            public: Any = now
            if part:
                public = _Part(ask, getattr(before, part), getattr(now, part))
            elif type(self).__module__.startswith("torch."):
                public = _Same(ask, before, now)
            return handle_torch_function(public, (self,), self, *args, **kwargs)

        ask.__name__ = name
        return ask

    if not isinstance(value, property):
        now = asking(value, "")
        return now
    setter, deleter = value.fset, value.fdel
    now = property(
        asking(value.fget, "__get__"),  # type: ignore[arg-type] # it has one
        asking(setter, "__set__") if setter else None,
        asking(deleter, "__delete__") if deleter else None,
    )
    return now


class _Same:
    """Found in tables by what torch has in its place, too: classes of torch have theirs from before the machine."""

    def __init__(self, run: Any, before: Any, now: Any) -> None:
        self._run, self._both = run, (before, now)
        self.__name__ = before.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._run(*args, **kwargs)

    def __eq__(self, other: object) -> bool:
        return other is self or other in self._both

    def __hash__(self) -> int:
        return hash(self._both[0])


class _Part(_Same):
    """Part of a property: `torch.Tensor.device.__get__`."""


_Part.__name__ = "method-wrapper"  # by which torch's lazy parameters know it
