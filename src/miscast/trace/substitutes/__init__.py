"""Packages of CUDA kernels that a machine without CUDA cannot install: stand-ins, made of torch's own ops.

    from flash_attn import flash_attn_func      the import works, and what the kernel refuses is told

Only what the program itself imports, and is not prepared to do without, is given: a library that looks whether there is
such a package goes its way without, as it would here. One file per package, with `PACKAGE`, `VERSION` and
`modules(judge)`: the names of each of its modules. Files are found by discovery.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from contextlib import contextmanager
from functools import cache
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..expected import prepared
from ..origin import USER, kind_of
from .judge import Judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import FrameType

    from ..vm import VirtualMachine

_IMPORTING = ("<frozen importlib._bootstrap", __file__)


@contextmanager
def substitutes(vm: VirtualMachine) -> Iterator[None]:
    """While this is on, imports that nobody else finds are looked up here; then nothing of it is left."""
    finder = _Finder(vm)
    sys.meta_path.append(finder)
    try:
        yield
    finally:
        if finder in sys.meta_path:  # the program may have changed the list
            sys.meta_path.remove(finder)
        for name, module in finder.made.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


@cache
def _packages() -> Mapping[str, Any]:
    files = (importlib.import_module(f"{__name__}.{file.name}") for file in pkgutil.iter_modules(__path__))
    return {file.PACKAGE: file for file in files if hasattr(file, "PACKAGE")}


class _Finder:
    """A finder, and the loader of what it finds."""

    def __init__(self, vm: VirtualMachine) -> None:
        """For one run."""
        self._vm = vm
        self._contents: dict[str, Mapping[str, Any]] = {}
        self.made: dict[str, ModuleType] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A module of a package that is known, if the program wants it."""
        top = name.partition(".")[0]
        if top not in _packages():
            return None
        if top not in self.made:
            if name != top or not _wanted(name):
                return None
            self._contents = {**self._contents, **_packages()[top].modules(Judge(self._vm))}
            self._vm.recorder.note(f"{top} is not installed here: a stand-in of torch's own ops took its place")
        if name not in self._contents:
            return None
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type] # it loads as importlib wants it

    def create_module(self, spec: ModuleSpec) -> None:
        """As usual."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the names in."""
        name = module.__name__
        self.made[name] = module
        if "." not in name:
            module.__dict__["__version__"] = _packages()[name].VERSION
        module.__dict__.update(self._contents[name])


def _wanted(name: str) -> bool:
    """Whether a line of the program's own imports it, and does not go on without."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_IMPORTING):
        frame = frame.f_back
    error = ModuleNotFoundError(f"No module named '{name}'", name=name)
    return frame is not None and kind_of(frame.f_code) == USER and not prepared(frame, error)
