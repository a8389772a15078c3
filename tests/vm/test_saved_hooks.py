"""Checkpointing and offloading run amid ops, and see the devices of the program."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from miscast.core.machines import find
from miscast.running.program.run import run_callable


def devices_with(forward):
    """The devices of two gradients after a backward pass on a virtual GPU."""

    def program():
        model = nn.Sequential(nn.Linear(4, 4), nn.Softmax(-1), nn.LayerNorm(4), nn.Linear(4, 4)).cuda()
        x = torch.randn(2, 4, device="cuda", requires_grad=True)
        forward(model, x).sum().backward()
        return str(x.grad.device), str(model[0].weight.grad.device)

    trace, result = run_callable(program, (), {}, find("v100"))
    assert trace.ended is None, trace.ended
    assert not trace.calls
    return result


def offloaded(model, x):
    with torch.autograd.graph.save_on_cpu():
        return model(x)


def hooked(model, x):
    seen = []

    def pack(tensor):
        seen.append(str(tensor.device))
        return tensor.cpu()

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor.cuda()):
        out = model(x)
    assert set(seen) == {"cuda:0"}
    return out


@pytest.mark.parametrize(
    "forward",
    [
        pytest.param(lambda m, x: checkpoint(m, x, use_reentrant=False), id="checkpoint"),
        pytest.param(lambda m, x: checkpoint(m, x, use_reentrant=True), id="reentrant"),
        pytest.param(offloaded, id="save_on_cpu"),
        pytest.param(hooked, id="hooks"),
    ],
)
def test_gradients_are_on_the_gpu(forward):
    assert devices_with(forward) == ("cuda:0", "cuda:0")


def test_a_number_on_the_cpu_goes_along_with_tensors_on_the_gpu():
    def program():
        alpha = torch.tensor(0.5)
        x = torch.randn(2, 4, device="cuda", dtype=torch.float16)
        return alpha**0.5 * x, (1 - alpha) * (x - alpha) / alpha

    trace, result = run_callable(program, (), {}, find("v100"))
    assert not trace.calls
    assert [(t.device, t.dtype) for t in result] == [("cuda:0", "float16")] * 2
