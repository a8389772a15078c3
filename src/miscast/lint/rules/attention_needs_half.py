"""An attention kernel accepts only half precision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..calls import calls
from ..contradiction import Contradiction
from ..messages import FLASH_ATTENTION
from ..run import Run
from ..system import Setting

if TYPE_CHECKING:
    from ...core.machines import Machine

_CUDA = "ValueError: FlashAttention2 is not available on CPU. Please make sure torch can access a CUDA device."
_AMPERE = "RuntimeError: FlashAttention only supports Ampere GPUs or newer."


def find(run: Run) -> Iterator[Contradiction]:
    """Yield flash attention 2 on a machine that is too old for it, and float32 loads in code."""
    machine = run.machine
    effect = _refused(machine) if machine else ""
    asked = [*_flash(run)] if machine and effect else []
    for setting in asked:
        yield Contradiction(
            says=f"flash attention 2 on {machine.name if machine else ''}",
            settings=(setting,),
            effect=effect,
            help="use sdpa",
        )
    if not asked:
        yield from _float32_loads(run)


def _float32_loads(run: Run) -> Iterator[Contradiction]:
    """Yield loads in float32; autocast, or a trainer that uses it, casts for the kernel."""
    autocast = run.trainers or any(calls(run, "autocast"))
    for view in () if autocast else calls(run, "from_pretrained"):
        given = view.given("dtype")
        if (
            given
            and str(given.value).endswith("float32")
            and view.text("attn_implementation").startswith("flash_attention")
        ):
            yield Contradiction(
                says="flash attention with float32 weights",
                settings=(view.given("attn_implementation"), given),
                effect=FLASH_ATTENTION,
                help="load the model in bfloat16, or use sdpa",
            )


def _refused(machine: Machine) -> str:
    """Return why flash attention 2 does not run on a machine; AMD's build of it runs."""
    if machine.device in ("cpu", "mps"):
        return _CUDA
    old = (
        machine.device == "cuda"
        and not machine.hip
        and (machine.capability or (0, 0)) < (8, 0)
    )
    return _AMPERE if old else ""


def _flash(run: Run) -> Iterator[Setting]:
    for view in run.views:
        for setting in map(
            view.given, ("attn_implementation", "flash_attention", "flash_attn")
        ):
            if setting is not None and (
                setting.value is True
                or str(setting.value) in ("flash_attention_2", "fa2")
            ):
                yield setting
