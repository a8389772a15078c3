"""What real runs have shown of a candidate, as its error or as why it is out."""

from __future__ import annotations

import pytest

from miscast.fixing.trials.job import Job
from miscast.planning.fitting.candidate import Candidate
from miscast.planning.point import Point
from miscast.planning.trying import Options, Trying

FLOAT32 = Candidate()
HALF = Candidate(precisions={"net": "16-true"})
EIGHT = Candidate(states="torchao")


class Ran(Trying):
    """Stands for runs: what each candidate has shown, a run for each seed."""

    def __init__(self, *shown):
        job = Job(target="train.py", args=(), machine="a100", strict=False, batches=2)
        super().__init__(job, Options(measure=(), seeds=len(shown[0][1])))
        self._shown = {candidate.key: runs for candidate, runs in shown}

    def _really(self, candidate, seed):
        usual = {"error": 0.0, "lost": "", "losses": [2.0, 1.0], "exact": [2.0, 1.0]}
        return {**usual, **self._shown[candidate.key][seed]}, ""

    def measured(self, candidate):
        return self._measured(Point(candidate=candidate))


def test_the_error_is_the_worst_of_all_seeds():
    ran = Ran((FLOAT32, [{}, {}]), (HALF, [{"error": 1e-3}, {"error": 2e-3}]))
    assert ran.measured(FLOAT32).error == 0.0
    assert ran.measured(HALF).error == 2e-3


@pytest.mark.parametrize(
    ("shown", "error", "out"),
    [
        ({"error": -1.0}, None, "a training loss is not finite"),
        ({"error": -1.0, "lost": "addcdiv overflows"}, None, "addcdiv overflows"),
        ({"error": 1e-3, "lost": "a weight stands still"}, 1e-3, "a weight stands still"),
    ],
)
def test_what_is_lost_rules_out_and_an_error_is_a_number(shown, error, out):
    ran = Ran((HALF, [shown]))
    point = ran.measured(HALF)
    assert (point.error, point.out) == (error, out)


def test_states_of_eight_bits_err_by_the_losses_of_a_run_without_them():
    # the twin has the same states, and is not apart
    ran = Ran(
        (FLOAT32, [{}, {"exact": [4.0, 2.0]}]),
        (EIGHT, [{"losses": [2.0, 1.1]}, {"losses": [4.0, 2.0]}]),
    )
    assert ran.measured(FLOAT32).error == 0.0
    assert ran.measured(EIGHT).error == pytest.approx(0.1)


def test_a_loss_that_is_finite_without_them_only_rules_them_out():
    ran = Ran((FLOAT32, [{}]), (EIGHT, [{"losses": [2.0, float("nan")]}]))
    ran.measured(FLOAT32)
    assert ran.measured(EIGHT).out == "a training loss is not finite"
