"""A setting selects a dtype that the machine lacks or only emulates."""

from __future__ import annotations

from collections.abc import Iterator

from ....core.machines import Machine
from ...calls import calls
from ...contradiction import Contradiction
from ...run import Run
from ...setting import Place, named_dtype
from ...system import Setting

_WHY = {
    "emulated": "{dtype} is emulated on {machine}",
    "missing": "{dtype} does not exist on {machine}",
}
_REFUSED = ("bfloat16", "emulated")
_EFFECT = {
    "emulated": "right values, but slow: each op converts to float32 and back; flash attention, Triton "
    "and vLLM reject it, "
    "and axolotl, torchtune and sd-scripts need Ampere",
    "missing": "RuntimeError when the first tensor of it is created",
}
_ASPECTS = ("autocast", "parameters", "compute")


def find(run: Run) -> Iterator[Contradiction]:
    """Yield dtypes without hardware support, once per setting."""
    machine = run.machine
    if machine is None or machine.device == "cpu":
        return
    if any(view.system.facts.refuses(machine) for view in run.views):
        return
    first: dict[Place, Contradiction] = {}
    for setting, dtype, where in (*_made(run), *_decided(run)):
        support = machine.support(dtype) if dtype else "native"
        if support in _WHY and setting.entry.at not in first:
            why = _WHY[support].format(dtype=dtype, machine=machine.name)
            help_ = _instead(dtype, machine)
            made = _lacking(run, setting, (dtype, support), f"{why} ({where})", help_)
            first[setting.entry.at] = made
    yield from first.values()


def _lacking(
    run: Run, setting: Setting, lacks: tuple[str, str], says: str, help_: str
) -> Contradiction:
    said = _refusal(run, setting) if lacks == _REFUSED else ""
    fails = lacks[1] == "missing" or _raises(said)
    return Contradiction(
        says=says,
        settings=(setting,),
        severity="error" if fails else "warning",
        effect=said or _EFFECT[lacks[1]],
        help=help_,
    )


def _refusal(run: Run, setting: Setting) -> str:
    """Return the error of the library that reads a setting, or of another in the run; a server's is for its own."""
    own = [view for view in run.views if setting.document in view.documents]
    serves = any(view.system.role == "server" for view in own)
    others = [view for view in run.views if (view.system.role == "server") is serves]
    refusals = (view.system.facts.bfloat16_missing for view in (*own, *others))
    return next(filter(None, refusals), "")


def _raises(effect: str) -> bool:
    return bool(effect) and not effect.startswith("silent")


def _made(run: Run) -> Iterator[tuple[Setting, str, str]]:
    """Yield the dtypes that settings name: for loading, for a quantized base, for autocast."""
    servers = [view for view in run.views if view.system.role == "server"]
    for view in (*calls(run), *run.trainers, *servers):
        for key in view.system.keys:
            setting = view.given(key.name) if key.makes else None
            if setting is not None:
                yield setting, named_dtype(setting.value), setting.name


def _decided(run: Run) -> Iterator[tuple[Setting, str, str]]:
    """Yield the cells of the table that a setting decided, except TF32, which no tensor has."""
    for part in run.table:
        cells = dict(part.cells())
        for aspect in _ASPECTS:
            cell = cells[aspect]
            if cell.by is not None and cell.value != "tf32":
                yield cell.by, cell.value, f"{part.name}, {aspect}"


def _instead(dtype: str, machine: Machine) -> str:
    if dtype == "bfloat16" and machine.support("float16") == "native":
        return "use fp16 with a grad scaler (largest value: 65504), or float32 with twice the memory"
    return "use float32"
