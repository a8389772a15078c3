"""Every pair of components in every combination of dtypes, against real eager torch on the CPU, and on a virtual GPU.

By default a sample runs; `MISCAST_EXHAUSTIVE=1 pytest tests/models` runs them all, in about half an hour.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from . import diffusion, language
from .pair import (
    VARIANTS,
    Pair,
    Variant,
    disagreement,
    findings,
    program,
    really,
    virtually,
)

if TYPE_CHECKING:
    from collections.abc import Callable

EXHAUSTIVE = "MISCAST_EXHAUSTIVE" in os.environ
PAIRS = (*diffusion.PAIRS, *language.PAIRS)
# The default sample: each pair in two of these (untrained pairs in one), turn and turn about.
TRAINED = (
    "fp16-fp32-train",
    "bf16-bf16-train",
    "fp32-fp32-autocast_bf16-train",
    "fp32-bf16-train",
    "fp16-fp16-no_grad",
    "bf16-fp32-autocast_bf16-train",
    "fp32-fp16-inference_mode",
    "fp16-fp16-train",
)
UNTRAINED = ("fp16-fp32-no_grad", "bf16-bf16-inference_mode", "fp32-fp32-autocast_bf16-no_grad")
ON_CUDA = ("fp32-fp32-autocast_bf16-train", "fp16-fp16-no_grad", "bf16-bf16-train")


def _sample(number: int, pair: Pair) -> tuple[str, ...]:
    if not pair.train:
        return (UNTRAINED[number % len(UNTRAINED)],)
    return TRAINED[2 * number % len(TRAINED)], TRAINED[(2 * number + 1) % len(TRAINED)]


def _sample_on_cuda(number: int, pair: Pair) -> tuple[str, ...]:
    return (ON_CUDA[number % 3] if pair.train else "fp16-fp16-no_grad",) if number % 2 else ()


def _combinations(sample: Callable[[int, Pair], tuple[str, ...]], *, uniform: bool = False) -> list[object]:
    found = []
    for number, pair in enumerate(PAIRS):
        for variant in VARIANTS:
            sound = (pair.train or variant.mode != "train") and (variant.uniform or not uniform)
            if sound and (EXHAUSTIVE or str(variant) in sample(number, pair)):
                found.append(pytest.param(pair, variant, id=f"{pair.name}-{variant}"))
    return found


@pytest.mark.parametrize(("pair", "variant"), _combinations(_sample))
def test_as_real_torch(pair: Pair, variant: Variant) -> None:
    real = really(lambda: program(pair, variant))
    trace, result = virtually(lambda: program(pair, variant))
    assert disagreement(real, trace, result) is None


@pytest.mark.parametrize(("pair", "variant"), _combinations(_sample_on_cuda, uniform=True))
def test_uniform_is_silent_on_cuda(pair: Pair, variant: Variant) -> None:
    trace, result = virtually(lambda: program(pair, variant, "cuda"), "a100")
    assert trace.ended is None
    assert findings(trace) == []
    assert result
