"""TF32 is switched on, but the machine does not have it."""

from __future__ import annotations

from collections.abc import Iterator

from ...contradiction import Contradiction, replaced
from ...run import Run
from ...system import Setting
from ...unsaid import TF32_ON, tf32_switches

_RAISES = (
    "ValueError: --tf32 requires Ampere or a newer GPU arch, cuda>=11 and torch>=1.7"
)
_SILENT = "silent: the switch has no effect, products stay in float32"


def find(run: Run) -> Iterator[Contradiction]:
    """Yield TF32 on a machine without it."""
    machine = run.machine
    if machine is None or machine.support("tf32") == "native":
        return
    for setting, effect in _switched_on(run):
        yield Contradiction(
            says=f"{setting.name} is {setting.entry.text or 'on'}, {machine.name} has no TF32",
            settings=(setting,),
            severity="error" if effect == _RAISES else "warning",
            effect=effect,
            help="switch it off",
            edit=None
            if setting.entry.flag
            else replaced(
                setting, "False" if setting.entry.text == "True" else "false"
            ),
        )


def _switched_on(run: Run) -> Iterator[tuple[Setting, str]]:
    """Yield the settings that switch TF32 on, and the effect without it."""
    for view in run.views:
        for key, effect in (("tf32", _RAISES), ("allow_tf32", _SILENT)):
            setting = view.given(key)
            if setting is not None and str(setting.value).lower() == "true":
                yield setting, effect
    code = (s for s in tf32_switches(run.view("torch")) if s.value in TF32_ON)
    for setting in code:
        yield setting, _SILENT
