"""Of several operands that could give a result its dtype or its device, the one of its own shape is told."""

from __future__ import annotations

import pytest

import miscast

torch = pytest.importorskip("torch")


def _origins(program):
    """The code of the line at which the story of each operand of the one finding starts."""
    (finding,) = miscast.check(program, machine="v100").findings
    return {one.name: finding.origin(one).start().location.code for one in finding.operands}


def test_the_latents_are_why_noisy_ones_are_on_the_cpu():
    def program():
        latents = torch.randn(2, 4)
        alphas = torch.linspace(0.9, 0.1, 2)[:, None]
        noisy = alphas * latents
        torch.nn.Linear(4, 4, device="cuda")(noisy)

    assert _origins(program)["input"] == "latents = torch.randn(2, 4)"


def test_the_latents_are_why_noisy_ones_are_float32():
    def program():
        alphas = torch.linspace(0.9, 0.1, 2)[:, None]
        latents = torch.randn(2, 4)
        noisy = alphas[0] * latents + alphas * latents
        torch.nn.Linear(4, 4).half()(noisy)

    assert _origins(program)["input"] == "latents = torch.randn(2, 4)"


def test_a_mask_that_widens_them_is_told_although_a_schedule_is_as_wide():
    def program():
        alphas = torch.linspace(0.9, 0.1, 1000)
        mask = torch.ones(2, 1)
        predicted = torch.randn(2, 4, dtype=torch.float16) * mask
        before = alphas[7] ** 0.5 * predicted
        torch.nn.Linear(4, 4).half()(before)

    assert _origins(program)["input"] == "predicted = torch.randn(2, 4, dtype=torch.float16) * mask"


def test_where_all_have_its_shape_or_none_the_first_is_told():
    def program():
        first = torch.ones(2, 4)
        second = torch.zeros(2, 4)
        torch.nn.Linear(4, 4).half()(first + second)

    def spread():
        row = torch.ones(4)
        column = torch.ones(2, 1)
        torch.nn.Linear(4, 4).half()(row * column)

    assert _origins(program)["input"] == "first = torch.ones(2, 4)"
    assert _origins(spread)["input"] == "row = torch.ones(4)"


def test_a_product_of_matrices_has_its_first_factors_dtype_whatever_its_shape():
    def program():
        scores = torch.ones(4, 4)
        values = torch.zeros(4, 2)
        torch.nn.Linear(2, 2).half()(scores @ values)

    assert _origins(program)["input"] == "scores = torch.ones(4, 4)"
