"""The line that set the name behind an operand is told, where no event is: a passing line that lacks a cast."""

from __future__ import annotations

import textwrap

import pytest

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


def related(tmp_path, body, machine="v100"):
    script = tmp_path / "train.py"
    script.write_text(HEAD + textwrap.dedent(body), encoding="utf-8")
    first = check_program(str(script), machine=machine).causes[0]
    return {one.label: one.location.code for one in first.related}


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
            {"from": "second(x)", "set": "first, second = Net().to(dev), Net()"},
            id="a module that was not moved",
        ),
        pytest.param(
            """
            def step(net, batch):
                x = batch["x"]
                return net(x)
            step(Net().half().to(dev), {"x": torch.ones(2, 3, device=dev)})
            """,
            {"from": "return net(x)", "set": 'x = batch["x"]'},
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
            {"from": "return net(x)", "set": "images = images * 2"},
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
    ],
)
def test_the_line_that_set_it(tmp_path, body, expected):
    told = related(tmp_path, body)
    assert {label: told[label] for label in expected} == expected
    assert ("set" in told) == ("set" in expected)


def test_no_line_of_what_was_made_on_the_spot(tmp_path):
    told = related(tmp_path, "net = Net().half().to(dev)\nones = torch.ones\nnet(ones(2, 3, device=dev))\n")
    assert "set" not in told
