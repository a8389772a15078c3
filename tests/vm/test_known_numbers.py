"""Numbers that a dtype cannot hold: those of tensors without dimensions, and those that are mended."""

from __future__ import annotations

import torch

import miscast


def test_a_bound_that_the_op_takes_one_off_stays_one_above():
    report = miscast.check(lambda: torch.zeros(2, dtype=torch.uint8).random_(255, 300))
    assert [finding.rule for finding in report.findings] == ["number-out-of-range"]
    assert report.ended is None


def added():
    x = torch.ones(2, device="cuda").half()
    return x + torch.tensor(1e3), x + torch.tensor(1e6)


def scaled():
    """More than float16 holds, but not as the tensor's number is."""
    return torch.add(torch.ones(2, device="cuda").half(), torch.tensor(1e3), alpha=1000)


def both_without_dimensions():
    return torch.ones((), device="cuda").half() + torch.tensor(1e6, device="cuda")


def test_a_number_that_is_added_as_a_tensor():
    (finding,) = miscast.check(added, machine="v100").findings
    assert finding.rule == "number-becomes-infinite"
    assert finding.message == "1e6 (`other` of add) takes every float16 number to infinity"


def test_a_number_that_is_not_added_as_it_is_says_nothing():
    assert miscast.check(scaled, machine="v100").findings == ()


def test_between_two_without_dimensions_the_wider_dtype_holds_it():
    assert miscast.check(both_without_dimensions, machine="v100").findings == ()
