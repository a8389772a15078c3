"""Facts about a system that rules use: one field per fact, set in the system's file.

    Facts(fills_auto=True, overrides_launcher=True)

A rule reads the fact and never compares the system's name, so that it applies to a new system too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from ..core.frozen import dataclass

if TYPE_CHECKING:
    from ..core.machines import Machine
    from .system import Setting
    from .view import View

PLAIN_ADAM = (
    "adam", "adamw", "adamw_torch", "adamw_torch_fused", "adamw8bit", "adam_8bit", "adamw_8bit",
)  # fmt: skip
"""Optimizers without stochastic rounding and compensated summation."""
Halves = Mapping[str, "bool | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Facts about one system; each is false, empty or None by default."""

    own_program: bool = False
    """Its command runs its own program, which changes torch's switches only by a key."""
    fills_auto: bool = False
    """True if it fills the `"auto"` of DeepSpeed's JSON."""
    halves: Callable[[View], Halves] | None = None
    """If it uses Transformers' Trainer: the `fp16` and `bf16` that the Trainer gets, None if unknown."""
    half_by_default: bool = False
    """True if it trains in bfloat16 unless `bf16` or `fp16` is given."""
    overrides_launcher: bool = False
    """True if it passes its own `mixed_precision` to `Accelerator(…)`, which overrides the launcher's."""
    default_overrides_launcher: Callable[[View], bool] = lambda _: False
    """True if it passes its default too, when nothing is given."""
    compared_with_engine: bool = False
    """accelerate compares its `mixed_precision` with DeepSpeed's JSON."""
    fp8_missing: str = (
        "silent: accelerate warns and trains in fp16 instead, with float16's range"
    )
    """The effect of fp8 on a machine without float8 products."""
    bfloat16_missing: str = ""
    """The effect of bfloat16 on a machine that only emulates it; empty: it runs, slowly."""
    refuses: Callable[[Machine], str] = lambda _: ""
    """The error that it raises on a machine with any settings; empty: none."""
    needs: Callable[[View], Iterable[Need]] = lambda _: ()
    """Settings that need a GPU of a compute capability."""
    raises_trained: Callable[[View], bool] = lambda _: False
    """True if it raises trained parameters to float32."""
    bfloat16_without_masters: Callable[[View], Updates | None] = lambda _: None
    """The settings by which it updates bfloat16 weights without float32 master weights or rounding that helps."""
    shards: Callable[[View], Setting | None] = lambda view: next(
        (
            s
            for s in view.settings.get("fsdp", ())[:1]
            if s.value not in (None, "", False)
        ),
        None,
    )
    """The setting that switches a trainer's own FSDP on, else None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Updates:
    """The setting that makes trained weights bfloat16, and the learning rate of their updates."""

    dtype: Setting | None
    rate: Setting | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """A setting, the compute capability that it needs, and the error below it.

    In `error`, `{needs}` and `{has}` are the capabilities as libraries write them (75).
    """

    setting: Setting
    capability: tuple[int, int]
    error: str
    help: str
