"""Every pair of components in every combination of dtypes, against real eager torch on the CPU, and on a virtual GPU.

By default each pair runs in the combinations of `SAMPLE`; `pytest -m "exhaustive or not exhaustive"` runs them all.
"""

from __future__ import annotations

import pytest

from . import diffusion, language
from .pair import VARIANTS, Pair, Variant, disagreement, findings, program, really, virtually

PAIRS = (*diffusion.PAIRS, *language.PAIRS)
SAMPLE = ("fp16-fp32-train", "bf16-bf16-train", "fp32-fp32-autocast_bf16-train")
SAMPLE_UNTRAINED = ("fp16-fp32-no_grad", "bf16-bf16-inference_mode")
CUDA_SAMPLE = ("fp32-fp32-autocast_bf16-train",)
CUDA_UNTRAINED = ("fp16-fp16-no_grad",)


def _combinations(sample: dict[bool, tuple[str, ...]], *, uniform: bool = False) -> list[object]:
    found = []
    for pair in PAIRS:
        for variant in VARIANTS:
            if (pair.train or variant.mode != "train") and (variant.uniform or not uniform):
                marks = () if str(variant) in sample[pair.train] else (pytest.mark.exhaustive,)
                found.append(pytest.param(pair, variant, id=f"{pair.name}-{variant}", marks=marks))
    return found


@pytest.mark.parametrize(("pair", "variant"), _combinations({True: SAMPLE, False: SAMPLE_UNTRAINED}))
def test_as_real_torch(pair: Pair, variant: Variant) -> None:
    real = really(lambda: program(pair, variant))
    trace, result = virtually(lambda: program(pair, variant))
    assert disagreement(real, trace, result) is None


@pytest.mark.parametrize(("pair", "variant"), _combinations({True: CUDA_SAMPLE, False: CUDA_UNTRAINED}, uniform=True))
def test_uniform_is_silent_on_cuda(pair: Pair, variant: Variant) -> None:
    trace, result = virtually(lambda: program(pair, variant, "cuda"), "a100")
    assert trace.ended is None
    assert findings(trace) == []
    assert result
