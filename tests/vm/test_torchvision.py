"""What torchvision compiles: judged by its own kernels on the CPU, by what its library has for CUDA, under autocast."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
import torch

from miscast.core.machines import find
from miscast.running.program.run import run_callable

pytestmark = pytest.mark.skipif(find_spec("torchvision") is None, reason="torchvision is not installed")


def _called(name, device, *, dtype, boxes, autocast):
    from torchvision import ops

    x, b = torch.randn(1, 4, 8, 8).to(device, dtype), torch.tensor([[0.0, 0.0, 0.0, 4.0, 4.0]]).to(device, boxes)
    s = torch.ones(1).to(device, dtype)
    with torch.autocast(device, torch.bfloat16, enabled=autocast):
        if name == "nms":
            return ops.nms(b[:, 1:].contiguous(), s, 0.5)
        if name == "deform_conv2d":
            zeros = torch.zeros(1, 18, 8, 8).to(device, boxes)
            return ops.deform_conv2d(x, zeros, torch.ones(4, 4, 3, 3).to(device, boxes), padding=1)
        return getattr(ops, name)(x, b, (2, 2))


CASES = [
    (name, dtype, boxes, autocast)
    for name in ("nms", "roi_align", "roi_pool", "deform_conv2d")
    for dtype in (torch.float32, torch.float16, torch.bfloat16)
    for boxes in (torch.float32, dtype)
    for autocast in (False, True)
]


@pytest.mark.parametrize(("name", "dtype", "boxes", "autocast"), CASES)
def test_on_the_cpu_as_torchvision_does(name, dtype, boxes, autocast):
    call = {"dtype": dtype, "boxes": boxes, "autocast": autocast}
    try:
        real = str(_called(name, "cpu", **call).dtype)[6:]
    except RuntimeError:
        real = "refused"
    trace, found = run_callable(_called, (name, "cpu"), call, find("cpu"))
    assert (bool(trace.calls) or bool(trace.ended)) == (real == "refused")
    assert real in ("refused", found.dtype)


@pytest.mark.parametrize(("name", "dtype", "boxes", "autocast"), CASES)
def test_on_cuda(name, dtype, boxes, autocast):
    """Its library has float, double and half; under autocast it computes in float32, and gives the input's dtype."""
    call = {"dtype": dtype, "boxes": boxes, "autocast": autocast}
    trace, found = run_callable(_called, (name, "cuda"), call, find("a100"))
    taken = autocast or (dtype is boxes and dtype is not torch.bfloat16)
    assert any(not call.hidden for call in trace.calls) == (not taken)
    assert not taken or found.dtype == ("int64" if name == "nms" else str(dtype)[6:])
