"""float8 training is requested, but the machine does not support it."""

from __future__ import annotations

from collections.abc import Iterator

from ...contradiction import Contradiction, replaced
from ...deciding import on
from ...messages import NO_FP8_BACKEND
from ...run import FLOAT8, Run
from ...system import Setting
from ...view import View


def find(run: Run) -> Iterator[Contradiction]:
    """Yield fp8 that the machine lacks."""
    for view in run.views if run.lacks(*FLOAT8) else ():
        setting = _asked(view)
        if setting is not None:
            yield _missing(setting, view, run)


def _asked(view: View) -> Setting | None:
    named = view.entry("mixed_precision", "ACCELERATE_MIXED_PRECISION")
    return on(view, "fp8") or (
        named if named is not None and named.value == "fp8" else None
    )


def _missing(setting: Setting, view: View, run: Run) -> Contradiction:
    written = setting.entry.text
    plain = written in ("fp8", "'fp8'", '"fp8"')
    edit = replaced(setting, written.replace("fp8", "bf16")) if plain else None
    choosing = "fp8_config.backend" in view.system.by_name and run.off_device("cuda")
    return Contradiction(
        says=f"fp8 on {run.machine.name if run.machine else ''}, which has no float8 products",
        settings=(setting,),
        effect=f"silent, bfloat16 autocast without float8, if torchao is installed; else {NO_FP8_BACKEND}"
        if choosing
        else view.system.facts.fp8_missing,
        help="use bf16",
        edit=edit if setting.value == "fp8" else None,
    )
