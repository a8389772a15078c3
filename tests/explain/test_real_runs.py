"""Programs that failed for real, by others: what each printed, and which op is known to have failed."""

from __future__ import annotations

import pytest
from judging import cases, right_op

from miscast.explanation import explained

GOALS = {"recognised": 0.97, "category": 0.95, "op": 0.9}


@pytest.fixture(scope="module")
def read():
    return [(run, explained(run["log"])) for run in cases("real-runs")]


@pytest.mark.parametrize("what", GOALS)
def test_how_many_runs_are_right(what, read):
    verdicts = {
        "recognised": [(run["id"], bool(found)) for run, found in read],
        "category": [
            (run["id"], not run["categories"] or any(one.rule in run["categories"] for one in found))
            for run, found in read
            if found
        ],
        "op": [(run["id"], any(right_op(run, one.op) for one in found)) for run, found in read if found],
    }[what]
    wrong = [name for name, right in verdicts if not right]
    assert 1 - len(wrong) / len(verdicts) >= GOALS[what], wrong
