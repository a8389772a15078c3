"""A change after which an op is given other numbers, not only rounded ones, does not do."""

from __future__ import annotations

import math
from functools import partial

import pytest

from miscast.core.event import Numbers
from miscast.fixing.fixes.spoiling import may_spoil, spoilt, steady
from sweep import sweep

of = partial(Numbers, shape=(4,))
WAVES = of(dtype="float32", values=(0.0, 0.5, 1.0, -0.3))


@sweep(
    ("after", "off"),
    [
        (of(dtype="float16", values=(0.0, 0.5, 1.0, -0.3001)), False),
        (of(dtype="float16", values=(0.0, 0.5, 1.0, 0.7)), True),
        (of(dtype="bfloat16", values=(0.0, 0.5, 1.0, -0.25)), False),  # bfloat16 has three bits less
        (of(dtype="float16", values=(0.0, 0.5, 1.0, -0.25)), True),
        (of(dtype="float16", values=(0.0, 0.5, 1.0, math.nan)), True),
        (of(dtype="float16", values=(0.0, 0.5, 1.0, math.inf)), True),
        (of(dtype="float32", values=(0.0, 0.5, 1.0, 0.7)), False),  # as wide as before: something else was meant
        (of(dtype="float16", values=(-math.inf, 0.5, 1.0, -0.3)), True),
        (Numbers(dtype="float16", shape=(2, 4), values=(0.0, 0.5, 1.0, 0.7)), False),
    ],
)
def test_what_is_rounded_too_early_is_off_by_more_than_a_cast_would_be(after, off):
    assert bool(spoilt({"input": WAVES}, {"input": [after]})) is off
    assert spoilt({"mat1": WAVES}, {"input": [after]}) == ""


def test_the_reason_is_told_in_numbers():
    worse = of(dtype="float16", values=(0.0, 0.5, 1.0, 0.7))
    assert spoilt({"input": WAVES}, {"input": [worse]}) == (
        "`input` would be off by 1 in numbers up to 1, being rounded too early"
    )


def test_what_no_cast_could_hold_is_not_held_against_a_change():
    mask = of(dtype="float32", values=(0.0, -1e9, -math.inf, math.nan))
    cast = of(dtype="float16", values=(0.0, -math.inf, -math.inf, math.nan))
    assert spoilt({"mask": mask}, {"mask": [cast]}) == ""


def test_one_of_several_calls_may_be_the_one():
    other, same = of(dtype="float16", values=(9.0, 8.0, 7.0, 6.0)), of(dtype="float16", values=WAVES.values)
    assert spoilt({"input": WAVES}, {"input": [other]})
    assert spoilt({"input": WAVES}, {"input": [other, same]}) == ""


def test_numbers_that_are_others_in_each_run_say_nothing():
    assert steady({"input": WAVES}, {"input": WAVES, "bias": of(dtype="float32", values=(1.0, 2.0, 3.0, 4.0))})
    assert not steady({"input": WAVES}, {"input": of(dtype="float32", values=(1.0, 2.0, 3.0, 4.0))})
    assert not steady({"input": WAVES}, {})


@pytest.mark.parametrize(("wanted", "may"), [("float16", True), ("float64", False), ("cuda:0", False), ("", False)])
def test_what_is_widened_or_moved_is_not_spoilt(wanted, may):
    assert may_spoil(wanted, {"input": WAVES}) is may
    assert not may_spoil(wanted, {})
