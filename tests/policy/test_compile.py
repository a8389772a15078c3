"""torch.compile sees through a policy: one graph, the same numbers."""

from __future__ import annotations

import threading

import pytest
import torch
from torch import nn

import miscast
from miscast import Policy
from models import tiny

# Dynamo asks tensors for `.grad` and hides torch's warning about it, which fails where warnings are errors.
pytestmark = pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor:UserWarning")

POLICIES = {
    "bf16-true": Policy.parse("bf16-true"),
    "bf16-mixed": Policy.parse("bf16-mixed"),
    "output": Policy.parse("params=float32,compute=bfloat16,output=float32"),
    "overrides": Policy(param_dtype="bfloat16", overrides={"**.2": "float32"}),
    "switched off inside": Policy(param_dtype="float32", compute_dtype="bfloat16", overrides={"**.2": "float32"}),
}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.GELU(), nn.LayerNorm(4), nn.Linear(4, 4))
        self.head = nn.Linear(4, 2)

    def forward(self, x, more=None):
        return {"out": self.head(self.layers(x) + more["bias"][0]), "same": x}


def _net(policy):
    torch.manual_seed(0)
    net = Net()
    miscast.apply(net, policy)
    return net


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("name", POLICIES)
def test_one_graph_and_the_same_numbers(name, backend):
    x, more = torch.randn(3, 4, dtype=torch.float64), {"bias": [torch.randn(4)]}
    plain, compiled = _net(POLICIES[name]), _net(POLICIES[name])
    expected = plain(x, more=more)


    def run(x, more):  # hooks of the outermost module are frames of their own, those of an inner one are in the graph
        return compiled(x, more=more)

    found = torch.compile(run, fullgraph=True, backend=backend)(x, more)
    assert found["out"].dtype == expected["out"].dtype
    assert torch.equal(found["out"], expected["out"])
    expected["out"].float().sum().backward()
    found["out"].float().sum().backward()
    for ours, theirs in zip(compiled.parameters(), plain.parameters(), strict=True):
        assert ours.grad.dtype == ours.dtype
        assert torch.equal(ours.grad, theirs.grad)
    assert not torch.is_autocast_enabled("cpu")


@pytest.mark.parametrize("name", ["bf16-true", "bf16-mixed"])
def test_no_graph_break_is_added_to_a_real_model(name):
    def breaks(policy):
        torch._dynamo.reset()
        model = tiny.bert().eval()
        if policy:
            miscast.apply(model, policy)
        run = torch._dynamo.explain(lambda ids: model(input_ids=ids).last_hidden_state)
        found = run(torch.tensor([[1, 2, 3]]))
        return found.graph_count, found.graph_break_count

    assert breaks(name) == breaks(None) == (1, 0)


@pytest.mark.parametrize("name", POLICIES)
def test_a_model_compiled_by_itself(name):
    x, more = torch.randn(3, 4), {"bias": [torch.randn(4)]}
    expected = _net(POLICIES[name])(x, more=more)["out"]
    found = torch.compile(_net(POLICIES[name]), backend="eager", fullgraph=True)(x, more=more)["out"]
    assert torch.equal(found, expected)
    assert found.dtype == expected.dtype


def test_a_compiled_model_takes_a_policy():
    torch.manual_seed(0)
    net = torch.compile(Net(), backend="eager")
    handle = miscast.apply(net, Policy(param_dtype="bfloat16", overrides={"head": "float32"}))
    assert "head" in handle.boundaries
    assert net(torch.randn(3, 4), more={"bias": [torch.zeros(4)]})["out"].dtype == torch.bfloat16


@pytest.mark.parametrize("name", ["bf16-true", "bf16-mixed"])
def test_in_another_thread(name):
    """Which region a thread is in is its own; and a mask is cast in the graph."""

    class Attending(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = nn.MultiheadAttention(4, 2, batch_first=True)
            self.head = nn.Linear(4, 4)

        def forward(self, x, attn_mask):
            return self.head(self.attention(x, x, x, attn_mask=attn_mask)[0])

    model = Attending()
    miscast.apply(model, name)
    x, mask = torch.randn(1, 3, 4), torch.zeros(3, 3)
    expected = model(x, attn_mask=mask)
    compiled = torch.compile(lambda x: model(x, attn_mask=mask), backend="aot_eager", fullgraph=True)
    found = [compiled(x)]
    thread = threading.Thread(target=lambda: found.append(compiled(x)))
    thread.start()
    thread.join()
    torch._dynamo.reset()
    thread = threading.Thread(target=lambda: found.append(compiled(x)))
    thread.start()
    thread.join()
    assert len(found) == 3
    assert all(torch.equal(each, expected) for each in found)
