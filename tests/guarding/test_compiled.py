"""A compiled model is watched from outside of what is compiled, and its step is run again as Python."""

from __future__ import annotations

import faulty
import pytest
import torch
from torch.nn import functional as F

import miscast


@pytest.mark.slow
@pytest.mark.parametrize("way", ["torch.compile", "model.compile"])
def test_compiled(way):
    torch.manual_seed(0)
    model = faulty.Net(faulty.Divides())
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    graphs = []

    def counted(graph, _):
        graphs.append(graph)
        return graph

    if way == "torch.compile":
        called = torch.compile(model, backend=counted, fullgraph=True)
    else:
        called = model
        model.compile(backend=counted, fullgraph=True)

    def train():
        for x, y, bad in faulty.batches():
            optimizer.zero_grad()
            loss = F.cross_entropy(called(x, bad), y)
            loss.backward()
            optimizer.step()

    with miscast.guard(called, optimizer), pytest.raises(miscast.TrippedError) as caught:
        train()
    trip = caught.value.trip
    assert trip.step == faulty.BAD
    assert trip.rerun.producers[0].op == "div"
    assert trip.rerun.producers[0].location.line == faulty.line_of(faulty.Divides)
    assert graphs
