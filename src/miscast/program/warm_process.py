"""A process with the libraries of a program already imported, so that runs forked from it only cost the program."""

from __future__ import annotations

import importlib
import sys
import warnings
from typing import TYPE_CHECKING

from .run import virtual_machine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..machines import Machine
    from ..vm.outside import Outside


def libraries() -> list[str]:
    """The modules of this process that are not the user's, in the order in which they were imported."""
    from ..provenance.origin import USER, kind_of_file

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


def warmed(machine: Machine, names: Iterable[str], box: Outside | None = None) -> None:
    """Import these modules on the machine and in the box, as the program would: what they ask at import is answered.

    One that cannot be imported on its own is left to the program.
    """
    vm = virtual_machine(machine, box=box)
    with vm.on(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            if name in sys.modules:
                continue
            try:
                importlib.import_module(name)
            except Exception:  # noqa: BLE001, S112 - the program's own import will tell, where it matters
                continue
