"""A stand-in is one that the program can be given: of `x.clamp(min=1)` it is no 0, whatever became of it since."""

from __future__ import annotations

import math

import pytest
import torch

import miscast

N = 300


def unknown(*sizes: int) -> torch.Tensor:
    """Numbers that nobody knows, without data."""
    return torch.randn(*sizes, N, device="cuda") @ torch.randn(N, N, device="cuda")


WITHIN = {
    "a length": (lambda: unknown(N).sum(1).clamp(min=1).long().max(), 1, math.inf),
    "of one": (lambda: unknown(1)[0, 0].clamp_min(2.5).ceil().int(), 3, math.inf),
    "an item of several": (lambda: unknown(N).sum(1).clamp(min=4).long()[3], 4, math.inf),
    "one after the other": (lambda: list(unknown(2).sum(1).clamp(min=4).long())[1], 4, math.inf),
    "in place": (lambda: unknown(N).sum(1).clamp_(min=4).long()[0], 4, math.inf),
    "a float": (lambda: unknown(1).sum().clamp(min=1.5), 1.5, math.inf),
    "from above": (lambda: unknown(1).sum().clamp(max=-2).int(), -math.inf, -2),
    "both": (lambda: unknown(1).sum().clamp(3, 5).int(), 3, 5),
    "both, the wrong way round": (lambda: unknown(1).sum().clamp(7, 5).int(), 5, 5),
    "twice": (lambda: unknown(1).sum().clamp(min=3).clamp(min=1).int(), 3, math.inf),
    "more than the dtype holds": (lambda: unknown(1).sum().clamp(min=300).to(torch.uint8), 0, 255),
}
FREE = {
    "without": lambda: unknown(N).sum(1).long().max(),
    "written to since": lambda: unknown(N).sum(1).clamp_(min=4).sub_(9).long()[0],
    "computed with since": lambda: (unknown(N).sum(1).clamp(min=4) - 9).long()[0],
    "the place of the largest": lambda: unknown(1, 1).clamp(min=7).max(dim=1).indices[0, 0],
    "the smaller of two": lambda: torch.min(unknown(N).clamp(min=7), unknown(N)).long()[0, 0],
    "a bound that is a tensor": lambda: unknown(1).sum().clamp(min=unknown(1).sum()).long(),
}


def shown(number) -> float:
    values = []
    report = miscast.check(lambda: values.append(number().item()), machine="a100")
    assert report.ended is None
    assert report.findings == ()
    return values[0]


@pytest.mark.parametrize("name", WITHIN)
def test_within_what_the_program_keeps_it_between(name):
    number, low, high = WITHIN[name]
    assert low <= shown(number) <= high


@pytest.mark.parametrize("name", FREE)
def test_what_is_not_kept_between_any_is_as_before(name):
    assert shown(FREE[name]) == 0


def test_a_length_makes_something():
    def program():
        lengths = unknown(2).sum(1).clamp(min=1).long()
        steps = torch.arange(lengths.max(), device="cuda")
        torch.nn.functional.conv1d(torch.randn(1, 1, len(steps), device="cuda"), torch.randn(1, 1, 1, device="cuda"))

    report = miscast.check(program, machine="a100")
    assert (report.ended, report.findings) == (None, ())
