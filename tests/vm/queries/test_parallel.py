"""The copies between devices, judged on the one device that every machine has."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.cuda import comm, nccl

pytestmark = [pytest.mark.usefixtures("believed"), pytest.mark.parametrize("believed", ["2xv100"], indirect=True)]


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the op handler there is no tensor on `cuda`: they stay where they are."""
    original = Tensor.to

    def to(tensor: Tensor, device: object, **options: object) -> Tensor:
        return original(tensor, "cpu" if "cuda" in str(device) else device, **options)

    monkeypatch.setattr(Tensor, "to", to)


def test_scatter_and_gather() -> None:
    whole = torch.arange(6.0).view(3, 2)
    parts = comm.scatter(whole, [0, 1])
    assert [part.shape for part in parts] == [(2, 2), (1, 2)]
    assert torch.equal(comm.gather(parts, 0, "cuda:0"), whole)
    assert torch.equal(comm.gather(parts, out=torch.empty(3, 2)), whole)
    assert [part.shape for part in comm.scatter(whole, [0, 1], chunk_sizes=[1, 2])] == [(1, 2), (2, 2)]
    assert torch.equal(comm.scatter(whole, out=[torch.empty(1, 2), torch.empty(2, 2)])[1], whole[1:])


def test_broadcast() -> None:
    one = torch.ones(2)
    assert [copy.tolist() for copy in comm.broadcast(one, [0, 1])] == [[1, 1], [1, 1]]
    assert [copy.tolist() for copy in comm.broadcast(one, out=[torch.zeros(2)])] == [[1, 1]]
    assert len(comm.broadcast_coalesced([one, one, one], [0, 1])[1]) == 3


def test_nccl() -> None:
    inputs = [torch.ones(2), torch.full((2,), 2.0)]
    assert not nccl.is_available(inputs)  # silently: they are on the CPU
    output = torch.empty(2)
    nccl.reduce(inputs, output)
    assert output.tolist() == [3, 3]
    outputs = [torch.empty(2), torch.empty(2)]
    nccl.all_reduce(inputs, outputs)
    assert outputs[1].tolist() == [3, 3]
    gathered = [torch.empty(4), torch.empty(4)]
    nccl.all_gather(inputs, gathered)
    assert gathered[0].tolist() == [1, 1, 2, 2]
    scattered = [torch.empty(1), torch.empty(1)]
    nccl.reduce_scatter(inputs, scattered)
    assert scattered[1].tolist() == [3]
    nccl.broadcast(inputs, root=1)
    assert inputs[0].tolist() == [2, 2]
