"""The program itself, as Python starts it: a script, a module, a function, a command."""

from __future__ import annotations

import importlib
import os
import re
import runpy
import sys
import zipfile
from contextlib import contextmanager
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...vm.provenance.on_behalf import theirs
from .command_line import entry
from .notebook import ENDING, Notebook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


class CannotRunError(Exception):
    """The program could not be started. The message says why, in one line."""


def command(name: str) -> Callable[[], Any]:
    """Return an installed command written in Python, as `commands.entry` finds it."""
    found = entry(name)
    assert found is not None, "it starts other programs"
    if isinstance(found, str):
        return lambda: theirs(runpy.run_path, found, run_name="__main__")
    return lambda: theirs(found)


def is_function(target: str) -> bool:
    """Check whether a target is package.module:function."""
    named = re.fullmatch(r"\w+(\.\w+)*(?<!\.py):\w+(\.\w+)*", target)
    return named is not None and not os.path.exists(target)


def startable(target: str) -> Path:
    """Return the path of a script or of a folder with __main__.py. Raises CannotRunError for any other."""
    path = Path(target)
    if path.is_dir() and not (path / "__main__.py").exists():
        raise CannotRunError(f"{target} is a folder without __main__.py")
    if not path.exists():
        hint = "; a function is package.module:function" if ":" in target else ""
        raise CannotRunError(f"{target}: no such file{hint}")
    return path


def starter(target: str) -> Callable[[], Any]:
    """Return a starter of a script, a notebook, "-m module" or package.module:function. Raises CannotRunError."""
    if target.startswith("-m "):
        name = target[3:].strip()
        return lambda: theirs(
            runpy.run_module, name, run_name="__main__", alter_sys=True
        )
    if is_function(target):
        return partial(_call, *target.split(":", 1))
    path = startable(target)
    if path.suffix == ENDING:
        try:
            return Notebook(path)
        except RecursionError as error:
            raise CannotRunError(f"{target} is nested too deeply for Python") from error
        except (OSError, ValueError) as error:
            raise CannotRunError(str(error)) from error
    if path.is_file() and not zipfile.is_zipfile(path):
        _compile(path, target)
    return lambda: theirs(runpy.run_path, str(path), run_name="__main__")


def _call(module: str, function: str) -> Any:
    found = theirs(attrgetter(function), theirs(importlib.import_module, module))
    return theirs(found)


def _compile(path: Path, target: str) -> None:
    """Check that a script is Python before it begins. Raises CannotRunError."""
    try:
        compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        if error.lineno is None:  # a zero byte
            raise CannotRunError(
                f"{target} is not a Python file: {error.msg}"
            ) from error
        raise CannotRunError(f"{error.filename}:{error.lineno}: {error.msg}") from error
    except (RecursionError, MemoryError) as error:
        raise CannotRunError(f"{target} is nested too deeply for Python") from error
    except OSError as error:
        why = error.strerror or error
        raise CannotRunError(f"cannot read {target}: {why}") from error
    except ValueError as error:  # as Python 3.10 and 3.11.3 have it
        raise CannotRunError(f"{target} is not a Python file: {error}") from error


@contextmanager
def as_main(target: str, args: Sequence[str]) -> Iterator[None]:
    """Set `sys.argv`, `sys.path` and `sys.modules` as the program would find them, and restore them after the block."""
    argv, path, main = sys.argv, list(sys.path), sys.modules.get("__main__")
    script = not target.startswith("-m ") and ":" not in target
    sys.argv = [target if script else target.removeprefix("-m "), *args]
    sys.path.insert(0, str(Path(target).resolve().parent) if script else os.getcwd())
    hook = sys.excepthook
    try:
        yield
    finally:
        sys.argv, sys.path[:], sys.excepthook = argv, path, hook
        if main is not None:
            sys.modules["__main__"] = main
