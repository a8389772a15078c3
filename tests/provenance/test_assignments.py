"""The line that set the name behind an operand is told, where no event is: a passing line that lacks a cast."""

from __future__ import annotations

import ast
import textwrap

import pytest

from miscast import check
from miscast.api import check_program

HEAD = """\
import torch
from torch import nn
dev = "cuda"
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 4)
    def forward(self, x):
        return self.inner(x)
"""


def first_of(tmp_path, body, machine="v100"):
    script = tmp_path / "train.py"
    script.write_text(HEAD + textwrap.dedent(body), encoding="utf-8")
    return check_program(str(script), machine=machine).causes[0].related


def related(tmp_path, body):
    return {one.label: one.location.code for one in first_of(tmp_path, body)}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(
            """
            def main():
                first, second = Net().to(dev), Net()
                x = torch.ones(2, 3, device=dev)
                second(x)
            main()
            """,
            {"called from": "second(x)", "defined at": "first, second = Net().to(dev), Net()"},
            id="a module that was not moved",
        ),
        pytest.param(
            """
            def step(net, batch):
                x = batch["x"]
                return net(x)
            step(Net().half().to(dev), {"x": torch.ones(2, 3, device=dev)})
            """,
            {"called from": "return net(x)", "defined at": 'x = batch["x"]'},
            id="an input that was not cast",
        ),
        pytest.param(
            """
            def step(net, x):
                return net(x)
            images = torch.ones(2, 3)
            images = images * 2
            step(Net().to(dev), images)
            """,
            {"called from": "return net(x)", "defined at": "images = images * 2"},
            id="a parameter's argument, in the caller",
        ),
        pytest.param(
            """
            class Holder:
                def __init__(self):
                    self.scale = torch.ones(3)
                def __call__(self, x):
                    return x * self.scale
            Holder()(torch.ones(3, device=dev))
            """,
            {},
            id="an attribute that was set where it was born: told once",
        ),
        pytest.param(
            """
            class Outer(Net):
                def forward(self, x):
                    y = self.inner(x)
                    x = torch.relu(y)
                    x = x * 2
                    return x
            Outer().to(dev).half()(torch.ones(2, 3, device=dev))
            """,
            {},
            id="a line below sets the name only after",
        ),
        pytest.param(
            """
            def run(net, x, more):
                for turn in range(2):
                    net(x)
                    x = more["x"]
            run(Net().to(dev).half(), torch.ones(2, 3, device=dev).half(), {"x": torch.ones(2, 3, device=dev)})
            """,
            {"defined at": 'x = more["x"]'},
            id="a line below, in a loop that came round",
        ),
    ],
)
def test_the_line_that_set_it(tmp_path, body, expected):
    told = related(tmp_path, body)
    assert {label: told[label] for label in expected} == expected
    assert ("defined at" in told) == ("defined at" in expected)


def test_no_line_of_what_was_made_on_the_spot(tmp_path):
    told = related(tmp_path, "net = Net().half().to(dev)\nones = torch.ones\nnet(ones(2, 3, device=dev))\n")
    assert "defined at" not in told


PASSED_ON = [
    pytest.param(
        """
        class Wrapped(nn.Module):
            def __init__(self, net):
                super().__init__()
                self.net = net
            def forward(self, x):
                return self.net(x)
        def main():
            net = Net()
            net = Wrapped(net)
            net(torch.ones(2, 3, device=dev))
        main()
        """,
        ["net = Wrapped(net)", "net = Net()"],
        id="a module that was wrapped under its own name",
    ),
    pytest.param(
        """
        class Wrapped(nn.Module):
            def __init__(self, net):
                super().__init__()
                self.net = net
            def forward(self, x):
                return self.net(x)
        base = Net()
        model = Wrapped(base)
        def step(x):
            return model(x)
        step(torch.ones(2, 3, device=dev))
        """,
        ["model = Wrapped(base)", "base = Net()"],
        id="a module that was wrapped under another, at the head of the file",
    ),
    pytest.param(
        """
        def step(net, batch):
            return net(**batch)
        for batch in [{"x": torch.ones(2, 3)}]:
            batch = {name: tensor for name, tensor in batch.items()}
            step(Net().to(dev), batch)
        """,
        ["batch = {name: tensor for name, tensor in batch.items()}"],
        id="a batch that holds it",
    ),
    pytest.param(
        """
        def prepare(x):
            x = x + 1
            return x.contiguous()
        def step(net, x):
            return net(x)
        step(Net().half().to(dev), prepare(torch.ones(2, 3, device=dev)))
        """,
        [],
        id="what a function returned that had no part in it",
    ),
    pytest.param(
        """
        def prepare(n):
            x = torch.ones(n, 3, device=dev)
            return x.contiguous()
        def step(net, x):
            return net(x)
        step(Net().half().to(dev), prepare(2))
        """,
        ["return x.contiguous()"],
        id="what a function made and returned, on the spot",
    ),
    pytest.param(
        """
        class Pipe:
            def __init__(self, net):
                self.net = net
            def __call__(self, x):
                return self.net(x)
        def build():
            pipe = Pipe(Net())
            return pipe
        def main():
            pipe = build()
            y = pipe(torch.ones(2, 3, device=dev))
        main()
        """,
        ["self.net = net", "pipe = build()", "return pipe"],  # and no more than three
        id="an object that holds the module, and the function that returned it",
    ),
    pytest.param(
        """
        class Normed(Net):
            def __init__(self):
                super().__init__()
                self.register_buffer("mean", torch.ones(3))
            def forward(self, x):
                return self.inner(x - self.mean)
        def main():
            model = Normed()
            model(torch.ones(2, 3, device=dev))
        main()
        """,
        ["model = Normed()"],
        id="a buffer of a module that was not moved",
    ),
    pytest.param(
        """
        class Masked(Net):
            def __init__(self):
                super().__init__()
                self.register_buffer("keep", torch.ones(3))
            def forward(self, x):
                return x.masked_fill(~self.keep, 0)
        def main():
            model = Masked().half().to(dev)
            model(torch.ones(2, 3, device=dev))
        main()
        """,
        ['self.register_buffer("keep", torch.ones(3))'],
        id="a buffer that was converted with its module",
    ),
    pytest.param(
        """
        import numpy as np
        def observe():
            state = np.zeros((2, 3), dtype=np.float16)
            state[0] = 1
            return state
        def main():
            net = Net().to(dev)
            state = observe()
            net(torch.from_numpy(state).to(dev))
        main()
        """,
        ["state = observe()", "return state", "state = np.zeros((2, 3), dtype=np.float16)", "net = Net().to(dev)"],
        id="an array, and the weight that is blamed",
    ),
    pytest.param(
        """
        import numpy as np
        class Data:
            def __getitem__(self, index):
                weight = np.full((1, 3), 2.0)
                return torch.tensor(weight)
        def main():
            net = Net().half()
            net(Data()[0])
        main()
        """,
        ["weight = np.full((1, 3), 2.0)"],
        id="an array in a function that is over",
    ),
    pytest.param(
        """
        generator = torch.Generator().manual_seed(0)
        torch.randn(2, 3, device=dev, generator=generator)
        """,
        ["generator = torch.Generator().manual_seed(0)"],
        id="a generator",
    ),
    pytest.param(
        """
        class Schedule:
            def __init__(self):
                self.betas = torch.ones(3)
        def embed():
            return torch.ones(2, 3).contiguous()
        def step(net, schedule, x):
            return net(x)
        def main():
            net, schedule = Net().to(dev), Schedule()
            step(net, schedule, embed())
        main()
        """,
        [],
        id="an object beside it that holds others on the same device",
    ),
    pytest.param(
        """
        def batches():
            for _ in range(2):
                x = torch.ones(1, 3)
                yield x.contiguous()
        def main():
            net = Net().to(dev)
            for step, x in enumerate(batches()):
                net(x)
        main()
        """,
        ["for step, x in enumerate(batches()):", "yield x.contiguous()"],
        id="a loop over a generator",
    ),
]


@pytest.mark.parametrize(("body", "expected"), PASSED_ON)
def test_the_lines_behind_it(tmp_path, body, expected):
    assert [one.location.code for one in first_of(tmp_path, body) if one.label == "defined at"] == expected


def test_the_autocast_that_is_off(tmp_path):
    body = """
    net = Net().to(dev)
    with torch.autocast("cuda", dtype=torch.float16, enabled=False):
        net(torch.ones(2, 3, device=dev).half())
    """
    told = related(tmp_path, body)
    assert told["autocast off at"] == 'with torch.autocast("cuda", dtype=torch.float16, enabled=False):'


def test_no_autocast_that_is_off_where_another_is_on(tmp_path):
    body = """
    def chosen(on):
        with torch.autocast("cuda", enabled=on):
            torch.nn.functional.embedding(torch.ones(2, 3, device=dev), torch.ones(2, 3, device=dev))
    chosen(True)
    """
    assert "autocast off at" not in related(tmp_path, body)


SHAPES = {
    "script": ("net = torch.nn.Linear(4, 4)", "x{0} = torch.ones(2, 4).half()\ny{0} = net(x{0})"),
    "one_name": ("net = torch.nn.Linear(4, 4)", "x = torch.ones(2, 4).half()\nx = net(x)"),
    "functions": (
        "net = torch.nn.Linear(4, 4)",
        "def f{0}(x):\n    for _ in range(1):\n        x = x.half()\n    return net(x)\nf{0}(torch.ones(2, 4))",
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_what_a_finding_costs_does_not_grow_with_the_others(shape, tmp_path, monkeypatch):
    head, body = SHAPES[shape]
    steps = []
    children = ast.iter_child_nodes
    monkeypatch.setattr(ast, "iter_child_nodes", lambda node: steps.append(node) or children(node))
    costs = []
    for count in (10, 80):
        file = tmp_path / f"{shape}{count}.py"
        file.write_text("\n".join(["import torch", head, *(body.format(n) for n in range(count))]))
        code = compile(file.read_text(), str(file), "exec")
        steps.clear()
        report = check(exec, code, {"__name__": "m"}, machine="v100")
        assert len(report.findings) == count
        str(report)
        costs.append(len(steps))
    assert costs[1] <= 12 * costs[0]
