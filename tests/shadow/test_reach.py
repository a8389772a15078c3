"""Which modules' errors reach the loss, and where a higher precision is worth the most."""

from __future__ import annotations

import pytest

from miscast.numbers.values.ranking import ranking
from shadowed import plain, same_bits, shadowed, tensors

CHAIN = """
import torch
from torch import nn

class Coarse(nn.Module):
    def forward(self, x):
        return (x.bfloat16() * 1.7).sigmoid().float()

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(16, 16)
        self.coarse = Coarse()
        self.last = nn.Linear(16, 1)
    def forward(self, x):
        return self.last(self.coarse(self.first(x)))

torch.manual_seed(0)
net = Net()
x = torch.randn(4, 16)
{scaler}
loss = net(x).square().mean()
{backward}
"""

PLAIN = CHAIN.format(scaler="", backward="loss.backward()")
SCALED = CHAIN.format(scaler='scaler = torch.amp.GradScaler("cpu")', backward="scaler.scale(loss).backward()")


@pytest.mark.parametrize("source", [PLAIN, SCALED], ids=["plain", "scaled"])
def test_what_reaches_the_loss_is_what_the_loss_moves_by(source):
    session, _ = shadowed(source)
    found = ranking(session)
    moved = {one.module: one.reaches for one in found.outputs}
    off = abs(found.loss.value - found.loss.exact) / found.loss.value
    assert off > 1e-4
    # to first order: the whole error of the loss is what the last output brings, and that is what `coarse` brought
    assert moved["net"] == pytest.approx(off, rel=0.05)
    assert moved["net.last"] == pytest.approx(off, rel=0.05)
    assert moved["net.coarse"] == pytest.approx(off, rel=0.05)
    assert moved["net.first"] < off / 100


def test_the_module_that_makes_it_is_the_cheapest_place():
    session, _ = shadowed(PLAIN)
    found = ranking(session)
    best = found.cheapest_module or found.cheapest
    assert best.module == "net.coarse"
    assert best.share > 0.7


def test_lines_of_one_module_are_added_up():
    source = """
    import torch
    from torch import nn

    class Gate(nn.Module):
        def forward(self, x):
            a = x * 1.1
            b = x * 1.3
            c = x * 1.7
            return a, b, c

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate = Gate()
        def forward(self, x):
            return sum(one.float().mean() for one in self.gate(x))

    net = Net()
    torch.manual_seed(0)
    net(torch.randint(1, 9, (64,)).bfloat16())
    """
    session, _ = shadowed(source)
    found = ranking(session)
    line, module = found.cheapest, found.cheapest_module
    assert module.module == "net.gate"
    assert module.share > (line.share if line else 0) + 0.1
    told = " ".join(str(line) for line in found.lines(100))
    assert "net.gate in a higher precision: " in told


def test_lines_that_several_modules_run_are_told_as_such():
    session, _ = shadowed("""
    import torch
    from torch import nn

    class Block(nn.Module):
        def forward(self, x):
            return x * 1.1

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList([Block(), Block(), Block()])
        def forward(self, x):
            for block in self.blocks:
                x = block(x)
            return x

    net = Net()
    net(torch.randint(1, 9, (8,)).bfloat16())
    """)
    assert [one.module for one in ranking(session).added] == ["net.blocks.*"]


def test_the_program_stays_as_it_is():
    alone, (_, beside) = tensors(plain(PLAIN)), shadowed(PLAIN)
    assert all(same_bits(one, tensors(beside)[key]) for key, one in alone.items())
    assert len(alone) > 6


def test_without_a_backward_pass_nothing_is_said_of_it():
    session, _ = shadowed(PLAIN.replace("loss.backward()", ""))
    found = ranking(session)
    assert found.outputs
    assert all(one.reaches is None for one in found.outputs)


def test_what_is_kept_for_it_ends_with_the_graph():
    session, variables = shadowed(PLAIN)
    held = session.room.held["cpu"]
    kept = [one for one in tensors(variables).values() if one is not None]
    variables.clear()
    del kept
    assert session.room.held["cpu"] < held or held == 0
