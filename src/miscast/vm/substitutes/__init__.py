"""Packages of CUDA kernels that a machine without CUDA cannot install: stand-ins, made of torch's own ops.

    from flash_attn import flash_attn_func      the import works, and what the kernel refuses is told

Only what the program itself imports, and is not prepared to do without, is given: a library that looks whether there is
such a package goes its way without, as it would here. One file per package, with `PACKAGE`, `VERSION` and
`modules(judge)`: the names of each of its modules. A file with `ASKED` knows how a program asks a library for one: by
the name of a module, what patches it, given a `Give`. Files are found by discovery.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from ...core.plugins import function, load, table, value
from ...running.process.cleanup import Steps
from ...running.process.on_import import later
from ..judging.caught_errors import prepared
from .finder import Finder
from .judge import Judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

    from ...running.process.patching import Patch
    from ..machine import VirtualMachine

Give = Callable[[str, AbstractContextManager[None]], None]
"""Makes a package be there for everybody, if nobody is prepared to do without; what tells of it is entered then."""


@contextmanager
def substitutes(vm: VirtualMachine) -> Iterator[None]:
    """Find substitutes for imports that no other finder resolves, within the block; remove them at its end."""
    packages = {file.PACKAGE: file for file in _files() if hasattr(file, "PACKAGE")}
    finder = Finder(packages, Judge(vm), vm.recorder.note)
    with Steps(vm.recorder.failures) as steps:
        sys.meta_path.append(finder)
        steps.callback(finder.end, "it removed substitutes of packages")

        def give(name: str, telling: AbstractContextManager[None]) -> None:
            known = name in finder.given or importlib.util.find_spec(name) is not None
            if not known and not prepared(sys._getframe(1), ImportError(name)):
                finder.given.add(name)
                steps.enter(telling, f"it stopped reporting {name}")

        def asking(
            ask: Callable[[ModuleType, Give], Iterator[Patch]],
        ) -> Callable[[ModuleType], Iterator[Patch]]:
            return lambda module: ask(module, give)

        if vm.machine.device == "cuda":
            asked = {
                name: asking(ask)
                for file in _files()
                for name, ask in getattr(file, "ASKED", {}).items()
            }
            steps.enter(
                later(asked, vm.recorder.failures), "it removed its package finder"
            )
        yield


@cache
def _files() -> Sequence[Any]:
    return load(
        __name__,
        either=(value("PACKAGE", str), table("ASKED")),
        may=(value("VERSION", str), function("modules", 1)),
        helpers=("finder", "judge", "transformer_engine_fp8"),
    )
