"""What the program was doing when a call failed: forward, backward, in the optimizer, or none of them."""

from __future__ import annotations

import torch

import miscast


class Mixing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return torch.mm(grad, x.half())


def program():
    return torch.mm(torch.ones(2, 2), torch.ones(2, 2).half())


def forward():
    return torch.nn.Linear(2, 2).half()(torch.ones(2, 2))


def backward():
    Mixing.apply(torch.ones(2, 2, requires_grad=True)).sum().backward()


def optimizer():
    weight = torch.nn.Parameter(torch.ones(2, 2))
    weight.grad = torch.ones(2, 2)
    adam = torch.optim.Adam([weight], foreach=False)
    adam.step()
    adam.state[weight]["exp_avg"] = torch.zeros(2, 2).half()
    adam.step()


def test_a_finding_says_in_which_phase_it_was_met():
    found = {f.__name__: miscast.check(f, machine="v100").findings for f in (program, forward, backward, optimizer)}
    assert {name: [finding.phase for finding in some] for name, some in found.items()} == {
        name: [name] for name in found
    }
