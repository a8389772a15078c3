"""FSDP1 finds two dtypes in one unit.

## What
A half base with adapters that peft raises to float32 (`autocast_adapter_dtype`), under FSDP1 without
`use_orig_params`; axolotl's `fp32_norms` or float8 gathering without FSDP2.

## Why
FSDP1 flattens each unit into one tensor, and needs one dtype. FSDP2 keeps parameters apart, but not in one group of
two dtypes.

## Example
    fsdp_config:
      fsdp_version: 1
      fsdp_use_orig_params: false              # with LoRA on a bfloat16 base

## Use instead
    fsdp_config:
      fsdp_version: 2

## Fix safety
Not safe: sharding changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..conflict import Conflict
from ..contradiction import Contradiction
from ..deciding import on
from ..run import Run
from ..setting import named_dtype
from ..sharding import flattened
from ..view import View

_UNIFORM = "ValueError: Must flatten tensors with uniform dtype but got torch.bfloat16 and torch.float32"


def _fsdp1(view: View, _: Run) -> bool:
    return view.number("fsdp_version") != 2


CONFLICTS = (
    Conflict(
        system="axolotl",
        keys=("fp8_enable_fsdp_float8_all_gather", "fsdp_version"),
        when=lambda s, run: (
            s.on("fp8_enable_fsdp_float8_all_gather") and _fsdp1(s, run)
        ),
        says="fp8_enable_fsdp_float8_all_gather without FSDP2",
        effect="ValueError: fp8_enable_fsdp_float8_all_gather requires FSDP2 (fsdp_version: 2) to be used.",
        help="set fsdp_version: 2",
        source="axolotl/utils/schemas/validation.py check_fp8_config, 0.19.0",
    ),
    Conflict(
        system="axolotl",
        keys=("fp32_norms", "fsdp_version"),
        when=lambda s, run: s.on("fp32_norms") and _fsdp1(s, run),
        says="fp32_norms without FSDP2",
        effect="ValueError: fp32_norms requires fsdp_version: 2. FSDP1's flat-param …",
        help="set fsdp_version: 2",
        source="axolotl/utils/schemas/config.py, 0.19.0",
    ),
)


def find(run: Run) -> Iterator[Contradiction]:
    """Adapters in float32 beside a half base, in one flat parameter."""
    fsdp = flattened(run)
    whole = run.view("accelerate").given("fsdp_config.fsdp_use_orig_params")
    if fsdp is None or whole is None or whole.value is not False:
        return
    for view in run.trainers:
        adapter, dtype = on(view, "use_peft"), view.given("torch_dtype")
        half = dtype is not None and named_dtype(dtype.value) in ("float16", "bfloat16")
        if adapter and half and not on(view, "load_in_4bit"):
            yield Contradiction(
                says="LoRA on a half base under FSDP1 without use_orig_params",
                settings=(whole, fsdp, adapter, dtype),
                severity="warning",
                effect=f"peft raises half adapters to float32 (autocast_adapter_dtype); then {_UNIFORM}",
                help="set fsdp_use_orig_params: true or fsdp_version: 2, or autocast_adapter_dtype=False",
            )
