"""`torch.tensor([1, 300], dtype=torch.uint8)`: numbers that do not fit are told of, and the run goes on without them.

C++ reads such lists before any op is called. Most numbers that do not fit raise; in float16 they become infinite.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import torch

from ...contracts.limits import becomes_infinite, fits, nearest
from ...event import Violation
from .numbers import spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..machine import VirtualMachine

_REFUSED = "value cannot be converted to type"
_MAKERS = ("tensor", "as_tensor", "asarray")
_PYTHON = (bool, int, float, complex)


def telling(vm: VirtualMachine, original: Callable[..., Any]) -> Callable[..., Any]:
    """`torch.tensor` and its kin, as they are for numbers that fit."""
    op = f"torch.{original.__name__}"
    if original.__name__ not in _MAKERS:
        return original

    def tell(dtype: str, value: complex, error: str) -> None:
        violation = Violation(kind="number", odd=(), expected=dtype, error=error, argument="data", value=spelled(value))
        vm.recorder.call(op, violation, ())

    @wraps(original)
    def make(*args: Any, **kwargs: Any) -> Any:
        asked = args[1] if len(args) > 1 else kwargs.get("dtype")
        if not isinstance(asked, torch.dtype) or not args or not isinstance(args[0], (*_PYTHON, list, tuple)):
            return original(*args, **kwargs)
        dtype = str(asked)[6:]
        try:
            made = original(*args, **kwargs)
        except RuntimeError as error:
            value = next((one for one in _numbers(args[0]) if not fits(one, dtype)), None)
            if _REFUSED not in str(error) or value is None:
                raise
            tell(dtype, value, str(error).splitlines()[0])
            return original(_fitted(args[0], dtype), *args[1:], **kwargs)
        if asked in (torch.float16, torch.bfloat16):
            value = next((one for one in _numbers(args[0]) if becomes_infinite(one, dtype)), None)
            if value is not None:
                tell(dtype, value, "")
        return made

    return make


def _numbers(data: Any) -> Iterator[Any]:
    if isinstance(data, _PYTHON):
        yield data
    elif isinstance(data, (list, tuple)):
        for one in data:
            yield from _numbers(one)


def _fitted(data: Any, dtype: str) -> Any:
    if isinstance(data, (list, tuple)):
        return [_fitted(one, dtype) for one in data]
    return nearest(data, dtype) if isinstance(data, _PYTHON) and not fits(data, dtype) else data
