"""Finds the packages that have a stand-in, for the import system: modules, and what is known of them as installed."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..judging.caught_errors import prepared
from ..provenance.origin import USER, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import FrameType

    from .judge import Judge

_IMPORTING = ("<frozen importlib._bootstrap", __file__)


class Finder:
    """A finder, and the loader of what it finds."""

    def __init__(
        self, packages: Mapping[str, Any], judge: Judge, note: Callable[[str], object]
    ) -> None:
        """Start one run with `packages`, which maps names to files with `VERSION` and `modules`."""
        self._packages, self._judge, self._note = packages, judge, note
        self._contents: dict[str, Mapping[str, Any]] = {}
        self._made: dict[str, ModuleType] = {}
        self.given: set[str] = set()
        """Packages that are there for everybody, and not only for a line of the program's own."""

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Return a module of a package that is known, if the program wants it."""
        top = name.partition(".")[0]
        if top not in self._packages:
            return None
        if top not in self._contents:
            if name != top or not (top in self.given or _wanted(name)):
                return None
            self._contents = {
                **self._contents,
                **self._packages[top].modules(self._judge),
            }
            self._note(
                f"{top} is not installed: replaced by a substitute made of torch ops"
            )
        if name not in self._contents:
            return None
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type] # it loads as importlib wants it

    def create_module(self, spec: ModuleSpec) -> None:
        """Return None, for the default module."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the names in."""
        name = module.__name__
        self._made[name] = module
        if "." not in name:
            module.__dict__["__version__"] = self._packages[name].VERSION
        module.__dict__.update(self._contents[name])

    def find_distributions(self, context: Any = None) -> Iterator[Distribution]:
        """Yield the distributions of the provided packages for `importlib.metadata`."""
        wanted = getattr(context, "name", None)
        for name in self.given:
            if wanted is None or _plain(wanted) == _plain(name):
                yield _Given(name, self._packages[name].VERSION)

    def end(self) -> None:
        """Remove the finder and the modules that it made."""
        if self in sys.meta_path:  # the program may have changed the list
            sys.meta_path.remove(self)
        for name, module in self._made.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


class _Given(Distribution):
    """A package without a folder."""

    def __init__(self, name: str, version: str) -> None:
        self._texts = {
            "METADATA": f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\n",
            "top_level.txt": name,
        }

    def read_text(self, filename: str) -> str | None:
        """Return the text of one of the package's metadata files, else None."""
        return self._texts.get(filename)

    def locate_file(self, path: Any) -> Any:
        """Return the path unchanged, as there is no file."""
        return path


def _plain(name: str) -> str:
    return name.replace("-", "_").lower()


def _wanted(name: str) -> bool:
    """Check whether a line of the program's own imports it, and does not go on without."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_IMPORTING):
        frame = frame.f_back
    error = ModuleNotFoundError(f"No module named '{name}'", name=name)
    return (
        frame is not None
        and kind_of(frame.f_code) == USER
        and not prepared(frame, error)
    )
