"""A process with the libraries of a program already imported, so that runs forked from it only cost the program."""

from __future__ import annotations

import gc
import importlib
import sys
import warnings
from typing import TYPE_CHECKING

import torch

from ...vm.machine import FEW
from .loading import unsearched
from .run import run_callable, virtual_machine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...core.event import Trace
    from ...core.machines import Machine
    from ...vm.outside import Outside


def libraries() -> list[str]:
    """Return the modules of this process that are not the user's, in the order in which they were imported."""
    from ...vm.provenance.origin import USER, kind_of_file

    found = []
    for name, module in list(sys.modules.items()):
        file = getattr(getattr(module, "__spec__", None), "origin", None)
        if (
            name != "__main__"
            and isinstance(file, str)
            and file.endswith(".py")
            and kind_of_file(file) != USER
        ):
            found.append(name)
    return found


def warmed(machine: Machine, names: Iterable[str], box: Outside | None = None) -> bool:
    """Import these modules on the machine and in the box, as the program would: what they ask at import is answered.

    One that cannot be imported on its own is left to the program. Returns whether a report would mention the imports: a
    fork that finds them done reports nothing of them.
    """
    vm = virtual_machine(machine, box=box)
    told: list[str] = []
    vm.recorder.heard = lambda kind, _: told.append(kind)
    with vm.on(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            if name in sys.modules:
                continue
            try:
                importlib.import_module(name)
            except Exception:  # noqa: BLE001, S112 - the program's own import will tell, where it matters
                continue
    return bool(told)


def heated(
    machine: Machine, names: Iterable[str], box: Outside | None, again: Outside | None
) -> Trace:
    """Import these modules as `warmed` does, and compute in advance what each run would compute: forks reuse it.

    Of every module whose it is, and where it has what the machine replaces, which is looked for in a box `again`; and
    what is read, made and imported at the first calls of ops, and at the first mistake. Returns the trace of these.
    """
    with unsearched():
        warmed(machine, names, box)
        found, _ = run_callable(_practice, (machine.device,), {}, machine, box=again)
        libraries()
        gc.collect()
    return found


def _practice(device: str) -> None:
    x = torch.ones(2, 1, device=device)
    layer = torch.nn.Linear(1, 1).to(device)
    for _ in range(FEW):  # then shapes begin to be remembered
        layer(x)
    layer(x.half())
