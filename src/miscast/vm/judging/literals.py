"""`torch.tensor([1, 300], dtype=torch.uint8)`: numbers that do not fit are told of, and the run goes on without them.

C++ reads such lists before any op is called. Most numbers that do not fit raise; in float16 they become infinite.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import torch

from ...core.event import Violation
from ...torch_facts.contracts.limits import becomes_infinite, fits, nearest
from ..key import KEYSET, Exclude
from .numbers import spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..machine import VirtualMachine
    from .recorder import Recorder

_REFUSED = "value cannot be converted to type"
_MAKERS = ("tensor", "as_tensor", "asarray")
_PYTHON = (bool, int, float, complex)
_HALVES = (torch.float16, torch.bfloat16)


def telling(vm: VirtualMachine, original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `torch.tensor` and similar functions to report numbers that do not fit."""
    if original.__name__ not in _MAKERS:
        return original

    @wraps(original)
    def make(*args: Any, **kwargs: Any) -> Any:
        made = told(*args, **kwargs)
        if args and isinstance(made, torch.Tensor):
            with Exclude(KEYSET):
                vm.numerics.data_held(made, args[0])
        return made

    def told(*args: Any, **kwargs: Any) -> Any:
        asked = args[1] if len(args) > 1 else kwargs.get("dtype")
        if not args or not isinstance(args[0], (*_PYTHON, list, tuple)):
            return original(*args, **kwargs)
        if not isinstance(asked, torch.dtype):
            made = original(*args, **kwargs)
            if isinstance(made, torch.Tensor):
                vm.numerics.whole_numbers(made, args[0], asked=False)
            return made
        made = _made(vm.recorder, original, asked, args, kwargs)
        vm.numerics.number_held(made, args[0])
        if isinstance(made, torch.Tensor):
            vm.numerics.whole_numbers(made, args[0], asked=True)
        return made

    return make


def _made(
    recorder: Recorder,
    original: Callable[..., Any],
    asked: torch.dtype,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """Return the tensor of a list of numbers; report one that does not fit, and use the nearest that does."""
    dtype = str(asked)[6:]
    try:
        made = original(*args, **kwargs)
    except RuntimeError as error:
        value = next((one for one in _numbers(args[0]) if not fits(one, dtype)), None)
        if _REFUSED not in str(error) or value is None:
            raise
        _tell(recorder, original, dtype, value, str(error).splitlines()[0])
        return original(_fitted(args[0], dtype), *args[1:], **kwargs)
    if asked in _HALVES:
        value = next(
            (one for one in _numbers(args[0]) if becomes_infinite(one, dtype)), None
        )
        if value is not None:
            _tell(recorder, original, dtype, value, "")
    return made


def _tell(
    recorder: Recorder,
    original: Callable[..., Any],
    dtype: str,
    value: complex,
    error: str,
) -> None:
    violation = Violation(
        kind="number",
        odd=(),
        expected=dtype,
        error=error,
        argument="data",
        value=spelled(value),
    )
    recorder.call(f"torch.{original.__name__}", violation, ())


def _numbers(data: Any) -> Iterator[Any]:
    if isinstance(data, _PYTHON):
        yield data
    elif isinstance(data, (list, tuple)):
        for one in data:
            yield from _numbers(one)


def _fitted(data: Any, dtype: str) -> Any:
    if isinstance(data, (list, tuple)):
        return [_fitted(one, dtype) for one in data]
    if isinstance(data, _PYTHON) and not fits(data, dtype):
        return nearest(data, dtype)
    return data
