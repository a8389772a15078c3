"""A policy gives what the right code by hand gives: outputs and gradients, bit for bit, over many kinds of model."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

FOLDER = str(Path(__file__).parents[2] / "benchmarks")
sys.path.insert(0, FOLDER)
from policy_models import CASES, POLICIES, judged  # noqa: E402

sys.path.remove(FOLDER)

NEITHER = {("LSTM", "16-mixed"), ("Mixtral", "64-true")}
"""The CPU has no kernel for it, however the model is converted."""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("case", CASES)
def test_as_by_hand(case, policy):
    verdict = judged(CASES[case], policy)
    if case == "LSTM" and policy.startswith("bf16") and verdict == "neither runs":
        pytest.skip("torch itself has no bfloat16 LSTM for this processor")
    assert verdict == ("neither runs" if (case, policy) in NEITHER else "same")
