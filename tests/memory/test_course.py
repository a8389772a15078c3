"""What a device held over a run, in few samples: the peak is one, kinds are as they showed later, sums as they were."""

from __future__ import annotations

import random

import pytest

from miscast.vm.memory_ledger import (
    ACTIVATIONS,
    GRADIENTS,
    KINDS,
    MOST,
    PARAMETERS,
    Account,
)


def test_a_short_run_is_kept_whole_with_the_kinds_that_showed_later():
    ticks = [0]
    account = Account(block=1, clock=lambda: ticks[0])
    pick, alive = random.Random(0), []
    for number in range(1, 41):
        ticks[0] = number
        alive.append(account.take(pick.randrange(1, 100), ACTIVATIONS))
        if pick.random() < 0.3:
            pick.choice(alive).become(pick.choice((PARAMETERS, GRADIENTS)))
    told = list(account.course.samples(account.taken_at_peak, account.at_peak))
    assert told[-1] == (40, *account.at_peak)  # nothing went: the last is the peak
    for ops, *held in told:
        by_kind = [0] * len(KINDS)
        for one in alive[:ops]:
            by_kind[one.kind] += one.size
        assert held == by_kind


@pytest.mark.parametrize("steps", [MOST - 1, MOST, MOST + 1, 5 * MOST + 7, 40_000])
def test_a_long_run_is_kept_in_few_samples_with_its_peak(steps):
    ticks = [0]
    account = Account(block=1, clock=lambda: ticks[0])
    pick, alive, totals = random.Random(steps), [], {}
    for number in range(1, steps + 1):
        ticks[0] = number
        alive.append(account.take(pick.randrange(1, 50), ACTIVATIONS))
        totals[number] = account.total
        if number % 7 == 0:
            pick.choice(alive).become(pick.choice((PARAMETERS, GRADIENTS)))
        if len(alive) > 60:
            del alive[pick.randrange(60)]
    told = list(account.course.samples(account.taken_at_peak, account.at_peak))
    assert len(told) <= MOST + 1
    assert steps < MOST or len(told) >= MOST // 2
    assert max(sum(row[1:]) for row in told) == account.most
    assert [row[0] for row in told] == sorted(row[0] for row in told)
    for ops, *held in told:
        assert sum(held) in (totals[ops], account.most)
        assert min(held) >= 0


def test_nothing_held_is_nothing_told():
    account = Account()
    assert list(account.course.samples(0, account.at_peak)) == []
