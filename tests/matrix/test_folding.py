"""The smallest condition that tells some cells from the others."""

from __future__ import annotations

import itertools

import pytest

from miscast.planning.matrix.outcome import condition

EVERY = [
    {"machine": machine, "dtype": dtype, "half": half}
    for machine, dtype, half in itertools.product(("v100", "a100", "m2"), ("no", "fp16", "bf16"), ("on", "off"))
]


@pytest.mark.parametrize(
    ("holds", "told"),
    [
        (lambda one: one["dtype"] == "fp16", {"dtype": ("fp16",)}),
        (lambda one: one["dtype"] != "no", {"dtype": ("fp16", "bf16")}),
        (lambda one: one["machine"] == "v100" and one["dtype"] == "bf16", {"machine": ("v100",), "dtype": ("bf16",)}),
        (bool, {}),
        (lambda one: one == EVERY[7], dict.fromkeys(EVERY[7])),
    ],
)
def test_a_condition_that_holds_for_these_and_no_others(holds, told):
    some = [one for one in EVERY if holds(one)]
    found = condition(some, EVERY)
    assert found.exact
    assert found.among == len(some)
    assert list(found.holds) == list(told)
    assert all(found.holds[name] == values for name, values in told.items() if values)


def test_where_none_does_the_nearest_is_told():
    some = [one for one in EVERY if (one["machine"] == "v100") != (one["half"] == "on") and one["dtype"] == "fp16"]
    found = condition(some, EVERY)
    assert not found.exact
    assert found.holds["dtype"] == ("fp16",)
    assert found.among == 6 > len(some) == 3
