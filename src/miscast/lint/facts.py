"""What rules ask of a system beyond its keys: one fact per field, declared in the system's own file.

    Facts(fills_auto=True, overrides_launcher=True)

A rule asks for the fact and never for a name, so that a new system is judged by every rule that its facts concern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from ..frozen import dataclass

if TYPE_CHECKING:
    from ..machines import Machine
    from .system import Setting
    from .view import View

PLAIN_ADAM = (
    "adam",
    "adamw",
    "adamw_torch",
    "adamw_torch_fused",
    "adamw8bit",
    "adam_8bit",
    "adamw_8bit",
)
"""Optimizers that neither round stochastically nor sum with compensation."""
Halves = Mapping[str, "bool | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Facts about one system; each is false, empty or None where the system is not known for it."""

    own_program: bool = False
    """Its command runs a program of its own, which leaves torch's switches alone unless a key says otherwise."""
    fills_auto: bool = False
    """It fills the `"auto"` of DeepSpeed's JSON."""
    halves: Callable[[View], Halves] | None = None
    """Of what trains by Transformers' Trainer: the `fp16` and `bf16` that it gets, None for what is unknown."""
    half_by_default: bool = False
    """It trains in bfloat16 unless `bf16` or `fp16` is given."""
    overrides_launcher: bool = False
    """It hands its own `mixed_precision` to `Accelerator(…)`, which then counts instead of the launcher's."""
    default_overrides_launcher: Callable[[View], bool] = lambda _: False
    """Whether it hands over its default too, where nothing is given."""
    compared_with_engine: bool = False
    """accelerate compares its `mixed_precision` with DeepSpeed's JSON."""
    fp8_missing: str = (
        "silent: accelerate warns and trains in fp16 instead, with float16's range"
    )
    """What happens if fp8 is asked for and the machine has no float8 products."""
    bfloat16_missing: str = ""
    """What happens where bfloat16 is named and the machine only emulates it; empty: it runs, slowly."""
    refuses: Callable[[Machine], str] = lambda _: ""
    """The error that it raises on a machine whatever the settings; empty: none."""
    needs: Callable[[View], Iterable[Need]] = lambda _: ()
    """Settings that want a GPU of a compute capability."""
    raises_trained: Callable[[View], bool] = lambda _: False
    """Whether it raises trained parameters to float32."""
    bfloat16_without_masters: Callable[[View], Updates | None] = lambda _: None
    """What makes it update bfloat16 weights without float32 masters; None where masters or rounding help."""
    shards: Callable[[View], Setting | None] = lambda view: next(
        (
            s
            for s in view.settings.get("fsdp", ())[:1]
            if s.value not in (None, "", False)
        ),
        None,
    )
    """The setting that switches a trainer's own FSDP on, None where it does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Updates:
    """The setting that makes trained weights bfloat16, and the learning rate of their updates."""

    dtype: Setting | None
    rate: Setting | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """A setting, the compute capability that it wants, and what is raised below it.

    In `error`, `{wants}` and `{has}` are the two as libraries write them (75).
    """

    setting: Setting
    capability: tuple[int, int]
    error: str
    help: str
