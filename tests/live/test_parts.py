"""Operands that no variable holds, and those that only a look behind a name finds."""

from __future__ import annotations

import pytest
from running import explanations

import miscast

torch = pytest.importorskip("torch")
F = torch.nn.functional

CASES = {
    "a conversion in the call": (
        "a, b = torch.ones(2, 3), torch.ones(3, 4)\ntorch.mm(a, b.half())\n",
        [("mat1", "float32", [2, 3], "a", ["created by torch.ones:2"]),
         ("mat2", "float16", [3, 4], "b.half()", ["cast by Tensor.half:3"])],
    ),
    "a conversion of what a function gives": (
        "def made():\n    return torch.ones(3, 4)\na = torch.ones(2, 3)\ntorch.mm(a, made().half())\n",
        [("mat1", "float32", [2, 3], "a", ["created by torch.ones:4"]),
         ("mat2", "float16", [3, 4], "made().half()", ["cast by Tensor.half:5"])],
    ),
    "a view": (
        "x, w = torch.randn(2, 4), torch.randn(3, 4, dtype=torch.float16)\ny = x @ w.t()[:, 1:]\n",
        [("mat1", "float32", [2, 4], "x", ["created by torch.randn:2"]),
         ("mat2", "float16", [4, 2], "w.t()[:, 1:]", ["assigned:3", "created by torch.randn:2"])],
    ),
    "a promotion": (
        "x, m = torch.ones(2, 4).half(), torch.zeros(4)\nw = torch.ones(4, 4).half()\ntorch.mm(x + m, w)\n",
        [("mat1", "float32", [2, 4], "x + m", ["promoted by add:4", "created by torch.zeros:2"]),
         ("mat2", "float16", [4, 4], "w", ["cast by Tensor.half:3"])],
    ),
    "factories as operands of a method": (
        "m = torch.zeros(2, 2)\nm.addmm_(torch.ones(2, 3), torch.ones(3, 2).double())\n",
        [("m", "float32", [2, 2], "m", ["created by torch.zeros:2"]),
         ("mat2", "float64", [3, 2], "torch.ones(3, 2).double()", ["cast by Tensor.double:3"]),
         ("mat1", "float32", [2, 3], "torch.ones(2, 3)", ["created by torch.ones:3"])],
    ),
    "an argument that only its place names": (
        "s, m = torch.zeros(2, 2), torch.ones(2, 1)\ns.masked_fill(m, 0.0)\n",
        [("mask", "float32", [2, 1], "m", ["created by torch.ones:2"]),
         ("s", "float32", [2, 2], "s", ["created by torch.zeros:2"])],
    ),
    "an assignment to elements": (
        "cache = torch.zeros(4, 4).half()\nindex, new = torch.tensor([0, 1]), torch.randn(2, 4)\ncache[index] = new\n",
        [("destination", "float16", [4, 4], "cache", ["cast by Tensor.half:2"]),
         ("source", "float32", [2, 4], "new", ["created by torch.randn:3"]),
         ("index", "int64", [2], "index", ["created by torch.tensor:3"])],
    ),
    "arguments in a tuple and a dict": (
        ("def call(f, *args, **kwargs):\n    return f(*args, **kwargs)\n"
        "call(torch.nn.functional.linear, torch.ones(1, 2), weight=torch.ones(3, 2).half())\n"),
        [("mat1", "float32", [1, 2], "args[0]", ["created by torch.ones:4"]),
         ("mat2", "float16", [3, 2], "kwargs['weight']", ["cast by Tensor.half:4"])],
    ),
    "slots": (
        ("class Batch:\n    __slots__ = ('x', 'y')\nb = Batch()\nb.x = torch.ones(2, 2)\nb.y = b.x.half()\n"
        "torch.mm(b.x, b.y)\n"),
        [("mat1", "float32", [2, 2], "b.x", ["created by torch.ones:5"]),
         ("mat2", "float16", [2, 2], "b.y", ["cast by Tensor.half:6"])],
    ),
    "a part that is not known": (
        ("class Net(torch.nn.Module):\n    scaled = property(lambda self: torch.ones(4, 4))\n"
        "net, x = Net(), torch.ones(1, 4).double()\ntorch.nn.functional.linear(x, net.scaled)\n"),
        [("mat1", "float64", [1, 4], "x", ["cast by Tensor.double:4"]), ("mat2", "float32", None, None, [])],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_operands(name, tmp_path):
    source, expected = CASES[name]
    (tmp_path / "program.py").write_text(f"import torch\n{source}", encoding="utf-8")
    [found] = explanations(tmp_path, "program.py")
    told = [
        (o["name"], o["dtype"], o["shape"], o["path"], [f"{s['how']}:{s['line']}" for s in o["since"]])
        for o in found["operands"]
    ]
    assert told == expected


def test_two_operands_of_one_name_are_told_apart(tmp_path):
    source = """\
import torch
ema, model = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2).half()
with torch.no_grad():
    for e, p in zip(ema.parameters(), model.parameters()):
        e.lerp_(p, 0.1)
"""
    (tmp_path / "program.py").write_text(source, encoding="utf-8")
    [found] = explanations(tmp_path, "program.py")
    assert "`ema.weight` is float32" in found["causes"][0]["text"]
    assert "`model.weight` is float16" in found["causes"][0]["text"]


def test_a_compiled_module_is_told_in_the_users_words(tmp_path):
    source = """\
import torch
net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU()).half()
x = torch.ones(1, 4)
torch.compile(net, backend="eager")(x)
"""
    (tmp_path / "program.py").write_text(source, encoding="utf-8")
    [found] = explanations(tmp_path, "program.py")
    assert (found["location"]["file"][-10:], found["location"]["line"]) == ("program.py", 4)
    assert [(o["name"], o["path"]) for o in found["operands"]] == [
        ("mat1", "x"), ("mat2", "net.0.weight"), ("bias", "net.0.bias"),
    ]  # fmt: skip


def caught(function):
    with pytest.raises(RuntimeError) as error:
        function()
    [found] = miscast.explain(error.value)
    return [(operand.dtype, operand.shape, operand.path) for operand in found.operands]


def test_without_the_recorder_parts_are_computed_on_meta_tensors():
    x, w = torch.randn(2, 6), torch.randn(4, 3, dtype=torch.float16)
    cases = {
        "x[:, :3]": lambda: torch.mm(x[:, :3], w.t()),
        "x.view(-1, 4)[:, 1:]": lambda: torch.mm(x.view(-1, 4)[:, 1:], w.t()),
        "torch.cat([x, x], dim=-1)[..., :3]": lambda: torch.mm(torch.cat([x, x], dim=-1)[..., :3], w.t()),
        "F.relu(-x).split(3, 1)[0]": lambda: torch.mm(F.relu(-x).split(3, 1)[0], w.t()),
        "x.to(torch.float64)[:, :3]": lambda: torch.mm(x.to(torch.float64)[:, :3], w.t()),
        "torch.ones(x.shape[0], 3)": lambda: torch.mm(torch.ones(x.shape[0], 3), w.t()),
    }
    for spelled, function in cases.items():
        [first, second] = caught(function)
        rows = 3 if "view" in spelled else 2
        assert first == ("float64" if "float64" in spelled else "float32", (rows, 3), spelled)
        assert second == ("float16", (3, 4), "w.t()")


def test_no_function_of_the_programs_runs_again():
    calls = []

    def half(x):
        calls.append(x)
        return x.half()

    class Own(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            calls.append(func)
            return super().__torch_function__(func, types, args, kwargs or {})

    class Lazy:
        @property
        def __class__(self):
            calls.append("asked for its class")
            return type(self)

    x, own, lazy = torch.ones(2, 2), torch.ones(2, 2).as_subclass(Own), Lazy()
    for function in (lambda: torch.mm(x, half(x)), lambda: torch.mm(own, lazy and x.half())):
        with pytest.raises(RuntimeError) as error:
            function()
        before = list(calls)
        assert miscast.explain(error.value)
        assert calls == before


def test_warnings_that_are_errors_stay_out_of_it():
    class Deprecated:
        @property
        def __dict__(self):
            raise FutureWarning

    old = Deprecated()
    with pytest.raises(RuntimeError) as error:
        torch.dot(torch.ones(2), torch.ones(2).half()) + old.weight
    assert miscast.explain(error.value)
