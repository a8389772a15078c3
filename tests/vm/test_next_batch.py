"""A loader that is cut ends where the program can bear it: `next(batches)` of one without an end has no end here."""

from __future__ import annotations

import sys

import pytest
import torch
from torch.utils.data import DataLoader, Sampler

import miscast

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="a frame's place is found by its bytecode")


class Endless(Sampler):
    def __iter__(self):
        while True:
            yield 0


def batches(**how):
    return iter(DataLoader(torch.ones(40, 3), batch_size=2, **how))


def steps():
    found = batches(sampler=Endless())
    return sum(len(next(found)) for _ in range(9))


def steps_of_a_finite_one():
    found = batches()
    return sum(len(next(found)) for _ in range(9))


def by_a_function():
    found = batches(sampler=Endless())

    def one():
        return next(found)

    return sum(len(one()) for _ in range(9))


def too_many_steps():
    found = batches()
    return sum(len(next(found)) for _ in range(21))


def until_it_is_caught():
    found, count = batches(), 0
    while True:
        try:
            count += len(next(found))
        except StopIteration:
            return count


def caught_by_who_called():
    found, count = batches(), 0

    def one():
        return next(found)

    while True:
        try:
            count += len(one())
        except StopIteration:
            return count


def until_nothing():
    found, count = batches(), 0
    while (batch := next(found, None)) is not None:
        count += len(batch)
    return count


def in_a_loop():
    return sum(map(len, batches()))


SAMPLES = {
    steps: 18, steps_of_a_finite_one: 18, by_a_function: 18,
    until_it_is_caught: 4, caught_by_who_called: 4, until_nothing: 4, in_a_loop: 4,
}  # fmt: skip


@pytest.mark.parametrize("program", SAMPLES)
def test_how_many_samples_there_are(program):
    had = []
    report = miscast.check(lambda: had.append(program()), machine="a100")
    assert (report.ended, had) == (None, [SAMPLES[program]])


def test_an_end_that_the_loader_really_has_is_raised():
    report = miscast.check(too_many_steps, machine="a100")
    assert "StopIteration" in str(report.ended)
