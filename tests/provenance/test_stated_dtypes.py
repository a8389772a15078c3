"""A line that says the dtype that a tensor has is part of its story; one that only says where it is to be is not."""

from __future__ import annotations

import pytest

import miscast

torch = pytest.importorskip("torch")


def _story(machine, move, device):
    def program():
        x = move(torch.ones(2, 8, device=device))
        torch.nn.Linear(8, 8).to(device).half()(x)

    (finding,) = miscast.check(program, machine=machine).findings
    (operand,) = (one for one in finding.operands if one.name == "input")
    return [event.kind for event in finding.origin(operand).chain()]


@pytest.mark.parametrize(("machine", "device"), [("cpu", "cpu"), ("a100", "cuda:0")])
def test_a_move_to_where_it_is(machine, device):
    assert _story(machine, lambda x: x.to(torch.device(device)), device) == ["born"]
    assert _story(machine, lambda x: x.to(device, non_blocking=True), device) == ["born"]
    assert _story(machine, lambda x: x.to(x.device), device) == ["born"]
    assert _story(machine, lambda x: x.to(device, torch.float32), device) == ["cast", "born"]
    assert _story(machine, lambda x: x.to(torch.float32), device) == ["cast", "born"]
