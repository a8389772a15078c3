"""The benchmark of first NaNs plants what it says: one line more in a program that is right."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

FOLDER = str(Path(__file__).parents[2] / "benchmarks")
sys.path.insert(0, FOLDER)
import first_nan  # noqa: E402
from nan_cases import FAULTS, LOOPS, PLACES, cases  # noqa: E402

sys.path.remove(FOLDER)


def test_every_fault_place_and_loop_is_among_a_hundred():
    found = list(cases(100))
    assert {one.fault.name for one in found} == {one.name for one in FAULTS}
    assert {one.place for one in found} == set(PLACES)
    assert {one.loop for one in found} == set(LOOPS)
    assert all(one.source.splitlines()[one.line - 1].strip() == one.fault.line for one in found)
    assert all(one.source.count(one.fault.line) == 1 for one in found)


@pytest.mark.slow
def test_a_case_is_told_and_judged(tmp_path):
    """Right where op and line are; not where another line is wanted."""
    from dataclasses import replace

    case = next(cases(1))
    told = first_nan.told(case, 0, tmp_path)
    assert told.op
    assert told.line
    assert told.equal
    assert not first_nan.told(replace(case, line=case.line - 1), 1, tmp_path).line
    assert not first_nan.told(replace(case, fault=replace(case.fault, op="exp")), 2, tmp_path).op
