"""Plug-ins are the modules of a package, found by discovery: nothing to register, and each is held to its promise.

    load("miscast.judging.rules", either=(function("find", 1), function("across", 1)), may=(value("STRICT", bool),))

One that does not keep it is refused in one line, with the file and the line where it stands:

    …/rules/my_rule.py:12: `finds`: did you mean `find`?
"""

from __future__ import annotations

import importlib
import os
import sys
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from importlib.machinery import all_suffixes
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from .frozen import dataclass

if TYPE_CHECKING:
    import ast

_ENDS = sorted(all_suffixes(), key=len, reverse=True)
_NEAR = 0.8
"""The least similarity of a name and its misspelling: `STRIKT` and `STRICT`, `finds` and `find`."""


class PluginError(TypeError):
    """A plug-in is not what its package promises; the message is one line, with file and line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """A name that plug-ins have. `fault` says what is wrong with its value, "" if nothing is."""

    name: str
    fault: Callable[[Any], str]


def function(name: str, arguments: int) -> Promise:
    """Return a function that takes so many arguments."""

    def fault(found: Any) -> str:
        if _takes(found, arguments):
            return ""
        import inspect

        try:
            inspect.signature(found).bind(*range(arguments))
        except (TypeError, ValueError):
            return f"is not a function of {arguments} argument{'s' * (arguments != 1)}"
        return ""

    return Promise(name=name, fault=fault)


def _takes(found: Any, arguments: int) -> bool:
    """Check whether it is an ordinary function of so many.

    Of most it is seen without inspect, which takes 8 ms to import.
    """
    if type(found) is not FunctionType or hasattr(found, "__wrapped__"):
        return False
    code, given = found.__code__, len(found.__defaults__ or ())
    return (
        code.co_argcount - given <= arguments <= code.co_argcount
        and len(found.__kwdefaults__ or ()) == code.co_kwonlyargcount
    )


def value(name: str, kind: type) -> Promise:
    """Return a value of that type."""
    return Promise(name=name, fault=lambda found: _unlike(found, kind))


def each(name: str, kind: type, fault: Callable[[Any], str] = lambda _: "") -> Promise:
    """Require a tuple of values of that type; `fault` must find nothing in any of them."""

    def faults(found: Any) -> str:
        if not isinstance(found, tuple):
            return f"is not a tuple of {kind.__name__}"
        return next(
            (wrong for one in found if (wrong := _unlike(one, kind) or fault(one))), ""
        )

    return Promise(name=name, fault=faults)


def table(name: str, kind: type = Callable) -> Promise:  # type: ignore[assignment]
    """Return a mapping from names to values of that type, by default to functions."""

    def fault(found: Any) -> str:
        if not isinstance(found, Mapping):
            return "is not a mapping"
        return next(
            (
                f"of {key!r} {wrong}"
                for key, one in found.items()
                if (wrong := _unlike(one, kind))
            ),
            "",
        )

    return Promise(name=name, fault=fault)


def _unlike(found: Any, kind: type) -> str:
    return (
        ""
        if isinstance(found, kind)
        else f"is {type(found).__name__}, not {kind.__name__}"
    )


def load(  # noqa: PLR0913 - what plug-ins promise, and which files are some
    package: str,
    *,
    needs: Sequence[Promise] = (),
    either: Sequence[Promise] = (),
    may: Sequence[Promise] = (),
    helpers: Collection[str] | None = (),
    only: Collection[str] | None = None,
) -> tuple[ModuleType, ...]:
    """Return the plug-ins of a package, by name.

    Each has all that it `needs`, one of `either` at least, and what it `may`.

    `helpers` are modules of the package that are no plug-ins; None: so is every one that has nothing promised, nor a
    name that is nearly one. `only`: files of these names are looked at, and imported. Raises PluginError.
    """
    promises = (*needs, *either, *may)
    found = []
    for name in _modules(sys.modules[package].__path__):
        if only is not None and name not in only:
            continue
        if helpers is None or name not in helpers:
            module = importlib.import_module(f"{package}.{name}")
            kept = _kept(module, promises)
            if kept or helpers is not None:
                _complete(module, kept, needs, either)
                found.append(module)
    return tuple(found)


def _modules(folders: Iterable[str]) -> list[str]:
    """Return the names of a package's modules, as pkgutil does, but without importing inspect."""
    return list(dict.fromkeys(name for folder in folders for name in _within(folder)))


def _within(folder: str) -> list[str]:
    if not os.path.isdir(folder):  # an archive
        import pkgutil

        return [module.name for module in pkgutil.iter_modules([folder])]
    names = set()
    for name in os.listdir(folder):
        ends = next((end for end in _ENDS if name.endswith(end)), "")
        if ends or os.path.isfile(os.path.join(folder, name, "__init__.py")):
            names.add(name.removesuffix(ends))
    return sorted(name for name in names - {"__init__"} if name.isidentifier())


def name_of(plugin: ModuleType) -> str:
    """Return the name of a plug-in's file."""
    return plugin.__name__.rpartition(".")[2]


def page_of(plugin: ModuleType) -> str:
    """Return what a plug-in's docstring says."""
    text = plugin.__doc__
    if text is None and sys.flags.optimize > 1:  # -OO leaves docstrings out
        text = _docstring(plugin)
    first, _, rest = (text or "").expandtabs().partition("\n")
    return f"{first.lstrip()}\n{textwrap.dedent(rest)}".strip("\n")


def _docstring(plugin: ModuleType) -> str | None:
    import ast
    import inspect

    return ast.get_docstring(ast.parse(inspect.getsource(plugin)), clean=False)


def refused(plugin: ModuleType, name: str, why: str) -> PluginError:
    """Return the error for what a plug-in has under a name."""
    return PluginError(f"{plugin.__file__}:{_line(plugin, name)}: {why}")


def _kept(module: ModuleType, promises: Sequence[Promise]) -> set[str]:
    """Return the promised names that a module has, each as it should be.

    Nothing of its own is nearly one of the others.
    """
    kept = set()
    for promise in promises:
        if not hasattr(module, promise.name):
            for name in _own(module) - {promise.name for promise in promises}:
                if _is_near(name, promise.name):
                    raise refused(
                        module, name, f"`{name}`: did you mean `{promise.name}`?"
                    )
        elif fault := promise.fault(getattr(module, promise.name)):
            raise refused(module, promise.name, f"`{promise.name}` {fault}")
        else:
            kept.add(promise.name)
    return kept


def _complete(
    module: ModuleType,
    kept: set[str],
    needs: Sequence[Promise],
    either: Sequence[Promise],
) -> None:
    missing = [promise.name for promise in needs if promise.name not in kept]
    if not missing and either and not kept & {promise.name for promise in either}:
        missing = [promise.name for promise in either]
    if missing:
        words = ", ".join(f"`{name}`" for name in missing)
        raise refused(
            module,
            "",
            f"missing {words}, which every file of {module.__package__} must have",
        )


def _own(module: ModuleType) -> set[str]:
    """Return the public functions and values of a module: not its classes, nor what it imports."""
    given = {
        name: found for name, found in vars(module).items() if not name.startswith("_")
    }
    own = {
        name
        for name, found in given.items()
        if getattr(found, "__module__", module.__name__) == module.__name__
    }
    return own - {
        name for name, found in given.items() if isinstance(found, type | ModuleType)
    }


def _is_near(name: str, promised: str) -> bool:
    if abs(len(name) - len(promised)) > 2:
        return False
    # takes a while to import, and few names are of a length with a promised one
    from difflib import SequenceMatcher

    alike = SequenceMatcher(None, name.lower(), promised.lower())
    return alike.ratio() >= _NEAR


def _line(module: ModuleType, name: str) -> int:
    """Return the line that gives a name its value; the first, if none does."""
    import ast
    import inspect

    return next(
        (
            line
            for names, line in _bound(ast.parse(inspect.getsource(module)))
            if name in names
        ),
        1,
    )


def _bound(tree: ast.Module) -> Iterator[tuple[list[str], int]]:
    import ast

    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield [node.name], node.lineno
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield (
                [target.id for target in targets if isinstance(target, ast.Name)],
                node.lineno,
            )
