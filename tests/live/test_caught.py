"""`miscast.explain(error)` for an exception that the program caught, here under pytest and without the recorder."""

from __future__ import annotations

import pytest

import miscast

torch = pytest.importorskip("torch")


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = torch.nn.Linear(4, 4, dtype=torch.bfloat16)

    def forward(self, x):
        return self.proj(x)


def test_the_frames_hold_the_tensors():
    net = Net()
    sample = torch.ones(2, 4)
    with pytest.raises(RuntimeError) as caught:
        assert net(sample).sum() == 0  # pytest rewrites this line
    [found] = miscast.explain(caught.value)
    assert (found.category, found.op, found.location.module) == ("dtype-mismatch", "linear", "net.proj")
    assert [(o.name, o.role, o.dtype, o.shape, o.path) for o in found.operands] == [
        ("mat1", "activation", "float32", (2, 4), "x"),
        ("mat2", "weight", "bfloat16", (4, 4), "net.proj.weight"),
        ("bias", "bias", "bfloat16", (4,), "net.proj.bias"),
    ]
    born = found.origin(found.operands[0])
    assert (born.kind, born.op, born.location.code) == ("born", "torch.ones", "sample = torch.ones(2, 4)")
    assert found.causes[0].name == "known-origin"
    assert "from the stack frames" in found.causes[0].evidence[0]


def test_a_notebook_shows_it():
    with pytest.raises(RuntimeError) as caught:
        torch.dot(torch.ones(2), torch.ones(2).half())
    shown = miscast.explain(caught.value)
    assert shown
    assert "dot mixes float32 `self` with float16 `other`" in shown._repr_html_()


def test_a_text_is_told_as_before():
    [found] = miscast.explain("RuntimeError: expected scalar type Half but found Float")
    assert found.operands[0].shape is None
    assert found.location.module is None


def test_what_is_not_ours_is_nothing():
    with pytest.raises(RuntimeError) as caught:
        torch.nn.Linear(3, 3)(torch.ones(2, 4))
    assert not miscast.explain(caught.value)
    assert not miscast.explain(KeyError("expected scalar type Half but found Float"))


def test_no_code_of_the_program_is_run():
    class Trap:
        @property
        def weight(self):
            raise AssertionError("a property was read")

    trap = Trap()
    with pytest.raises(RuntimeError) as caught:
        torch.dot(torch.ones(2), torch.ones(2).half()) + trap.weight
    assert miscast.explain(caught.value)


def test_an_exception_of_many_frames_is_told_at_once():
    def deep(count):
        if count:
            return deep(count - 1)
        return torch.dot(torch.ones(2), torch.ones(2).half())

    with pytest.raises(RuntimeError) as caught:
        deep(300)
    assert len(miscast.explain(caught.value)) == 1
