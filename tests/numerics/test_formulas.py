"""Formulas that end in inf or nan where torch has a function: told as hints by --numerics, and by nothing else."""

import pytest
import torch

import miscast
from sweep import sweep


def logits():
    return torch.nn.Linear(8, 5)(torch.randn(4, 8))


def share(e):
    return e / e.sum(-1, keepdim=True)


def over_edges(e, to):
    return e / (torch.zeros(3).scatter_add(0, to, e)[to] + 1e-16)


def without_the_largest(x):
    return x - x.amax(-1, keepdim=True)


def softplus(x):
    return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))


UNSTABLE = {
    "log of softmax": lambda: logits().softmax(-1).log().mean(),
    "a loss of the module's softmax": lambda: -torch.log(torch.nn.Softmax(-1)(logits()))[:, 0].sum(),
    "log of sigmoid": lambda: torch.log(torch.sigmoid(logits())),
    "log of 1 - sigmoid": lambda: torch.log(1 - torch.sigmoid(logits())),
    "log of sigmoid by hand": lambda: torch.log(1 / (1 + torch.exp(-logits()))),
    "softplus by hand": lambda: torch.log(1 + torch.exp(logits())),
    "the same by log1p": lambda: torch.log1p(logits().exp()),
    "energy of a Boltzmann machine": lambda: logits().exp().add(1).log().sum(1),
    "softmax by hand": lambda: share(logits().exp()),
    "softmax over edges": lambda: over_edges(logits()[:, 0].exp(), torch.tensor([0, 0, 1, 2])),
}
STABLE = {
    "torch's own": lambda: torch.nn.functional.log_softmax(logits(), -1),
    "an eps": lambda: torch.log(torch.sigmoid(logits()) + 1e-6),
    "a bound": lambda: torch.log(torch.sigmoid(logits()).clamp_min(1e-6)),
    "the largest subtracted": lambda: share(without_the_largest(logits()).exp()),
    "softplus of -|x|": lambda: softplus(logits()),
    "numbers that are small for sure": lambda: torch.log(1 + torch.exp(torch.linspace(-2, 2, 9))),
    "a kernel": lambda: share(torch.exp(-logits().square())),
    "a sigmoid": lambda: 1 / (1 + torch.exp(-logits())),
    "in float64": lambda: logits().double().softmax(-1).log(),
}


@pytest.mark.parametrize("name", UNSTABLE)
def test_they_are_hinted_at(name):
    (one,) = miscast.check(UNSTABLE[name], machine="cpu", numerics=True).findings
    assert (one.rule, one.severity) == ("unstable-formula", "hint")
    assert len(one.fixes) == 1


@sweep("name", STABLE)
def test_what_is_bounded_is_left_alone(name):
    assert not miscast.check(STABLE[name], machine="cpu", numerics=True).findings


def test_nobody_is_told_who_has_not_asked():
    assert not miscast.check(UNSTABLE["log of softmax"], machine="cpu").findings
