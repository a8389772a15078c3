"""Libraries that the program imports while the box is on: patched when they are loaded."""

from __future__ import annotations

import importlib.machinery
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ...trace.patching import ABSENT, Patch
from . import libraries

if TYPE_CHECKING:
    from .layer import Layer


@contextmanager
def watched(layer: Layer, put: list[tuple[Patch, Any]]) -> Iterator[None]:
    """Within, what is imported is patched. What was put where, and what was there before, is added to `put`."""
    finder = _Finder(layer, put)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        if finder in sys.meta_path:
            sys.meta_path.remove(finder)
        for (owner, name, _), value in reversed(put):
            if value is ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, value)


class _Finder:
    """Finds as those behind it; what it finds is patched after it ran."""

    def __init__(self, layer: Layer, put: list[tuple[Patch, Any]]) -> None:
        self.layer, self.put = layer, put

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        if name not in libraries.NAMES:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            if finder is self or find is None:
                continue
            spec = find(name, path, target)
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader, self)
                return spec
        return None

    def loaded(self, module: ModuleType) -> None:
        """Patch it now."""
        for patch in libraries.of(self.layer, module.__name__):
            self.put.append((patch, vars(patch.owner).get(patch.name, ABSENT)))
            setattr(patch.owner, patch.name, patch.value)


class _Loader:
    """A loader, and a look at the module when it is done."""

    def __init__(self, loader: Any, finder: _Finder) -> None:
        self._loader, self._finder = loader, finder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """As the loader, which the module has for its own afterwards."""
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._finder.loaded(sys.modules.get(module.__name__, module))
