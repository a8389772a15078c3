"""Settings of torch's float32 precision. Switches before and since torch 2.9 share a state and can disagree.

Torch refuses to read an old switch (`get_float32_matmul_precision`, `allow_tf32`) while a new one (`fp32_precision`)
says something else, and a new one that says nothing answers with what is above it. So each is read while the others are
such that it can be read, and then all are put back: 2.9 to 2.13, aten/src/ATen/Context.cpp.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import torch

from .setting import Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# From the top: what is above answers for what is below and says "none".
_PLACES = (
    ("generic", "all"),
    *(
        (backend, op)
        for op in ("all", "matmul", "conv", "rnn")
        for backend in ("cuda", "mkldnn")
    ),
)
_LEGACY = (
    ("get_float32_matmul_precision", "set_float32_matmul_precision"),
    ("_get_cudnn_allow_tf32", "_set_cudnn_allow_tf32"),
    ("_get_onednn_allow_tf32", "_set_onednn_allow_tf32"),
)
_State = tuple[list[Any], list[str]]


def settings() -> Iterator[Setting]:
    """Yield one setting for the old and new switches."""
    yield Setting("the precision of float32", state, put)


def state() -> _State:
    """Return the old switches, and what each of the new ones says itself (none, before torch 2.9).

    Nothing is changed.
    """
    if not hasattr(torch._C, "_get_fp32_precision_getter"):
        return [_read(get) for get, _ in _functions()], []
    own = _own()
    try:
        return [_told(get) for get, _ in _functions()], own
    finally:
        _put_own(own)


def put(before: _State) -> None:
    """Put back what `state` read: an old switch sets new ones too, so they come last."""
    old, own = before
    for (_, write), value in zip(_functions(), old, strict=True):
        if value is not None:
            write(value)
    _put_own(own)


def _functions() -> list[tuple[Callable[[], Any], Callable[[Any], Any]]]:
    found = []
    for get, write in _LEGACY:
        owner: Any = torch if hasattr(torch, get) else torch._C
        if hasattr(owner, get) and hasattr(owner, write):
            found.append((getattr(owner, get), getattr(owner, write)))
    return found


def _own() -> list[str]:
    """Return what each new switch says itself: read from the top, with all above it silent; then put back."""
    found: list[str] = []
    try:
        for place in _PLACES:
            found.append(torch._C._get_fp32_precision_getter(*place))
            if place[1] == "all":
                torch._C._set_fp32_precision_setter(*place, "none")
    finally:
        _put_own(found)
    return found


def _put_own(values: list[str]) -> None:
    for place, value in zip(_PLACES, values, strict=False):
        torch._C._set_fp32_precision_setter(*place, value)


def _told(get: Callable[[], Any]) -> Any:
    """Return an old switch, read with the new ones as it wants them; None where it has no value."""
    for value in ("ieee", "tf32", "bf16"):
        for place in _PLACES:
            with suppress(RuntimeError):  # a backend may not know the precision
                torch._C._set_fp32_precision_setter(*place, value)
        with suppress(RuntimeError):
            return get()
    return None


def _read(get: Callable[[], Any]) -> Any:
    with suppress(RuntimeError):
        return get()
    return None
