"""`torch._dynamo`, which is imported when a program needs it: the import takes two thirds as long as torch's own.

Optimizers import it at their first step, and ask of it what a stand-in answers as well, as nothing is compiled here.
`spare` is for a process that was made for one check. In any other it is imported before anything is patched: it keeps
functions of torch's in its tables.
"""

from __future__ import annotations

import importlib
import os
import sys
from contextlib import contextmanager
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch

from ..running.process.patching import Patch, applied, suspended
from ..running.torch_abi import OwnKeys
from .key import KEY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_NAME = "torch._dynamo"
_FOLDER = "TORCHINDUCTOR_CACHE_DIR"
_IMPORTS = frozenset(
    {"cProfile", "colorsys", "decimal", "fractions", "getpass", "hmac", "jinja2", "mpmath", "networkx", "optree",
     "profile", "pstats", "secrets", "shlex", "statistics", "sympy", "sysconfig", "triton"}
)  # fmt: skip
"""Modules it imports and torch alone does not. A user's file with such a name may break its import."""

_ALONE = frozenset({f"{_NAME}._trace_wrapped_higher_order_op"})
"""A module that Transformers imports for its masks, and that needs no other of the package."""

_spared = False


def spare() -> None:
    """Import `torch._dynamo` only when it is needed from now on, also on a virtual machine."""
    global _spared  # noqa: PLW0603 - of the process
    _spared = True


@contextmanager
def at_hand(note: Callable[[str], object]) -> Iterator[None]:
    """Keep `torch._dynamo` or a substitute importable for the block; call `note` if the import fails."""
    if not _spared or _is_shadowed():
        refused = imported()
        if refused is not None:
            why = f"{type(refused).__name__}: {refused}".splitlines()[0]
            note(
                f"torch._dynamo cannot be imported ({why}): optimizers and torch.compile will raise this error"
            )
    if _NAME in sys.modules:
        yield
        return
    standing = _StandIn()
    sys.modules[_NAME] = standing
    sys.meta_path.insert(0, standing.finder)
    try:
        yield
    finally:
        standing.leave()


def _is_shadowed() -> bool:
    """Check whether the program's folder has a module of a name that it imports."""
    try:
        names = os.listdir(sys.path[0] or ".")
    except OSError:
        return False
    return not _IMPORTS.isdisjoint(name.partition(".")[0] for name in names)


def imported() -> Exception | None:
    """Import it; what kept it from being imported, else None.

    It names a folder for its cache in the environment, and makes it: here it does neither, as a check leaves no folder
    behind. What else reads the name sets it itself, and what writes there makes the folder.
    """
    before, make = dict(os.environ), os.makedirs

    def made(name: Any, *options: Any, **named: Any) -> None:
        if os.fspath(name) != os.environ.get(_FOLDER):
            make(name, *options, **named)

    with applied([Patch(os, "makedirs", made)]):
        try:
            importlib.import_module(_NAME)
        except Exception as error:  # noqa: BLE001 - whatever a user's module of some name raises
            return error.with_traceback(None)
        finally:
            for name in set(os.environ) - set(before):
                del os.environ[name]
    return None


class _StandIn(ModuleType):
    """Answers what eager code of torch's, its meta kernels among it, asks; anything else is the real module's."""

    def __init__(self) -> None:
        """Create the substitute without adding it to `sys.modules`."""
        super().__init__(_NAME)
        self.__path__: list[str] = []
        self.finder = _Finder(self)
        self.disable = lambda fn=None, *_, **__: fn or (lambda one: one)
        self.allow_in_graph = self.assume_constant_result = lambda fn: fn
        self.graph_break = lambda *_, **__: None
        self.is_compiling = lambda: False
        self.reset = lambda: None

    def __getattr__(self, name: str) -> Any:
        """Import the real module, and ask it. Raises what keeps it from being imported."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.real(), name)

    def real(self) -> ModuleType:
        """Return the real module, which is in its place from now on."""
        if sys.modules.get(_NAME) is self:
            del sys.modules[_NAME]
            with suspended(), OwnKeys(KEY, True):
                refused = imported()
            if refused is not None:
                sys.modules[_NAME] = self
                raise refused
        return sys.modules[_NAME]

    def leave(self) -> None:
        """Remove the substitute, unless the real module has replaced it."""
        if self.finder in sys.meta_path:  # the program may have changed the list
            sys.meta_path.remove(self.finder)
        if sys.modules.get(_NAME) is self:
            del sys.modules[_NAME]
        if vars(torch).get("_dynamo") is self:
            del torch._dynamo


class _Finder:
    """Imports the real package before one of its modules."""

    def __init__(self, standing: _StandIn) -> None:
        """Prepare to import for one substitute, from `sys.meta_path`."""
        self._standing = standing

    def find_spec(
        self,
        name: str,
        _path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Return the spec of a module of the package; None for any other, and when the package is there."""
        if (
            not name.startswith(f"{_NAME}.")
            or sys.modules.get(_NAME) is not self._standing
        ):
            return None
        if name in _ALONE:
            with suspended(), OwnKeys(KEY, True):
                return ModuleSpec(name, _There(_loaded_alone(name)))
        package = self._standing.real()
        if name in sys.modules:
            return ModuleSpec(name, _There(sys.modules[name]))
        return PathFinder.find_spec(name, package.__path__, target)


def _loaded_alone(name: str) -> ModuleType:
    """Return a module of the package, which is not imported for it."""
    folders = [os.path.join(path, "_dynamo") for path in torch.__path__]
    spec = PathFinder.find_spec(name, folders)
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class _There(Loader):
    """A loader of a module that is there."""

    def __init__(self, module: ModuleType) -> None:
        self._module, self._spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:  # noqa: ARG002
        """Return it."""
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Give it its own spec back."""
        module.__spec__ = self._spec
