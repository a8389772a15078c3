"""`--assume 'pixels=-1:1'`: what is said of data decides what is told of it; known numbers stay as they are."""

import pytest
import torch
from torch import nn

import miscast
from command import miscast_in
from miscast.numbers.ranges.assumptions import Assumptions


class Squares(nn.Module):
    def forward(self, pixels, scale=None):
        return (pixels.half() * pixels.half()).sum() if scale is None else scale.half().exp()


def step(pixels):
    return pixels.half() * pixels.half()


def found(fn, *args, assume=(), **kwargs):
    return [one.rule for one in miscast.check(fn, *args, numerics=True, assume=assume, **kwargs).findings]


@pytest.mark.parametrize(
    ("assume", "rules"), [((), []), (["pixels=0:1"], []), (["pixels=0:1000"], ["number-overflows"])]
)
def test_an_argument_of_the_function(assume, rules):
    assert found(step, torch.zeros(512, 512), assume=assume) == rules


@pytest.mark.parametrize("named", [True, False])
def test_an_argument_of_a_module(named):
    def run(batch):
        net = Squares()
        return net(pixels=batch) if named else net(batch)

    assert found(run, torch.zeros(512, 512), assume=["pixels=0:255"]) == ["number-overflows"]
    assert found(run, torch.zeros(512, 512), assume=["pixels=-1:1"]) == []


def test_numbers_that_are_known_are_what_they_are():
    def run():
        return Squares()(torch.ones(8))

    assert found(run, assume=["pixels=0:255"]) == []


def test_another_argument_is_left_alone():
    def run(batch):
        return Squares()(batch, scale=batch)

    assert found(run, torch.zeros(512, 512), assume=["scale=0:20"]) == ["number-overflows"]
    assert found(run, torch.zeros(512, 512), assume=["pixels=0:0.5"]) == []


@pytest.mark.parametrize("told", ["pixels", "pixels=1", "pixels=1:0", "=0:1", "a b=0:1", "x=0:inf", "x=a:b"])
def test_what_says_no_range_is_refused(told):
    with pytest.raises(ValueError, match=r"expected name=low:high"):
        Assumptions.read([told])


def test_names_that_nothing_had():
    assumed = Assumptions.read(["pixels=-1:1", "ids=0:9"])
    assumed.arguments(step, (torch.empty(3, device="meta"),), {})
    assert assumed.unmet() == ["ids"]


def test_modules_are_as_before_afterwards():
    before = nn.Module.__call__
    found(step, torch.empty(8), assume=["pixels=0:1"])
    assert nn.Module.__call__ is before


def test_on_the_command_line(tmp_path):
    program = tmp_path / "net.py"
    program.write_text(
        "import torch\n"
        "class Net(torch.nn.Module):\n"
        "    def forward(self, pixels):\n"
        "        return pixels.half() ** 2\n"
        "Net()(pixels=torch.empty(300, 300))\n"
    )
    options = ["check", "--verbose", "--numerics", "--machine", "cpu"]
    told = miscast_in(None, *options, "--assume", "pixels=0:1000", "--assume", "ids=0:9", program)
    assert "numbers reach 1000000 here" in told.stdout
    assert "--assume ids: no module was called with such an argument" in told.stdout
    assert "nothing found" in miscast_in(None, *options, "--assume", "pixels=0:1", program).stdout


def test_a_range_without_numerics_or_without_bounds_is_refused():
    assert "needs --numerics" in miscast_in(None, "check", "--assume", "x=0:1", "net.py").stderr
    assert "expected name=low:high" in miscast_in(None, "check", "--numerics", "--assume", "x", "net.py").stderr
