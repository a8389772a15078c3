"""Measure this processor's rates in about two seconds. No data sheet has those of torch's kernels on it.

rates = calibrated()          # of one thread, by processor time: others at work on it do not count
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - everybody calls it so
from torch.utils.flop_counter import FlopCounterMode

from miscast.planning.forecast.rates import Rates

_DTYPES = ("float32", "bfloat16", "float16")
_EACH = 0.09
_MEGA = 1 << 20
_SIDE = 384


def calibrated() -> Rates:
    """Measure products, copies and the least time of a kernel; the fastest of all tries counts."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.no_grad():
            kinds = {
                (kind, name): _rate(make(getattr(torch, name)))
                for name in _DTYPES
                for kind, make in _PRODUCTS.items()
            }
            moves = {name: _moved(getattr(torch, name)) for name in _DTYPES}
        launch = _fastest(_small) / _KERNELS
    finally:
        torch.set_num_threads(threads)
    return Rates(
        products=kinds,
        bandwidth=moves["float32"],
        least=launch,
        plain=kinds["matmul", "float32"],
        source="a measurement of this processor, one thread",
        moved={("", name): rate for name, rate in moves.items()},
        uneven={},
    )


def _matmul(dtype: torch.dtype) -> Callable[[], Any]:
    a, b = (torch.randn(_SIDE, _SIDE).to(dtype) for _ in range(2))
    return lambda: a @ b


def _convolution(dtype: torch.dtype) -> Callable[[], Any]:
    x, w = torch.randn(2, 32, 32, 32).to(dtype), torch.randn(32, 32, 3, 3).to(dtype)
    return lambda: F.conv2d(x, w, padding=1)


def _attention(dtype: torch.dtype) -> Callable[[], Any]:
    q = torch.randn(1, 4, 256, 64).to(dtype)
    return lambda: F.scaled_dot_product_attention(q, q, q)


_PRODUCTS: Mapping[str, Callable[[torch.dtype], Callable[[], Any]]] = {
    "matmul": _matmul,
    "convolution": _convolution,
    "attention": _attention,
}


def _small() -> None:
    """Run some kernels that have nothing to do, as autograd calls them."""
    x = torch.ones(8, requires_grad=True)
    (x * x + x).sum().backward()


_KERNELS = 9
"""`ones`; forward mul, add, sum; the first gradient; backward expand, two mul, and the addition of what they give."""


def _rate(call: Callable[[], Any]) -> float:
    with FlopCounterMode(display=False) as counted:
        call()
    operations = counted.get_total_flops() or 4 * 4 * 256 * 256 * 64
    return operations / _fastest(call)


def _moved(dtype: torch.dtype) -> float:
    """Return bytes per second of kernels typical of training: an addition, and an exponential of each number."""
    x = torch.randn(_MEGA).to(dtype)
    size = x.nbytes
    added = _fastest(lambda: x + x)
    curved = _fastest(lambda: F.gelu(x))
    return 5 * size / (added + curved)


def _fastest(call: Callable[[], Any]) -> float:
    """Return the least processor seconds of a call."""
    call()
    best = float("inf")
    end = time.process_time() + _EACH
    while time.process_time() < end:
        begin = time.process_time_ns()
        times = 0
        while time.process_time_ns() - begin < 2e6:
            call()
            times += 1
        best = min(best, (time.process_time_ns() - begin) / 1e9 / times)
    return best
