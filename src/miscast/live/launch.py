"""Run a program as `python` does, and tell what it died of after all that Python itself would print.

Nothing is caught for good: an exception, an exit or an interrupt goes on to the interpreter, which ends the process as
it always does, with its own exit code, exit handlers and threads. Only its last word is prolonged: `sys.excepthook`,
the program's own where it has set one, is followed by the explanation.
"""

from __future__ import annotations

import atexit
import io
import os
import pkgutil
import runpy
import sys
import threading
import types
from importlib.machinery import SourceFileLoader
from typing import TYPE_CHECKING, Any

from ..running.launching.command_line import starts_others, typed
from ..running.launching.entry import CannotRunError, is_function, startable
from ..running.launching.notebook import ENDING
from .traces import chain, without_ours

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Tell = Callable[[BaseException], None]

__all__ = ["CannotRunError", "prepared"]


def prepared(target: str, args: Sequence[str], tell: Tell) -> Callable[[], int]:
    """Return what runs `script.py`, "-m module" or `package.module:function`.

    0 where it ends well, else what it raises.

    `tell` gets each exception that ends the program or one of its threads, after Python has printed it. Raises
    CannotRunError where there is nothing to run.
    """
    meant = typed(target, args)
    start = _starter(meant.target, list(meant.args))
    return lambda: _run(start, tell)


def _run(start: Callable[[], object], tell: Tell) -> int:
    _watch_threads(tell)
    try:
        start()
    except SystemExit as leaving:
        # `except Exception: traceback.print_exc(); sys.exit(1)`: the error was printed, and the program dies of it.
        behind = leaving.__cause__ or (
            None if leaving.__suppress_context__ else leaving.__context__
        )
        if leaving.code not in (None, 0) and behind is not None:
            errors = [behind]
            # after the interpreter has printed `sys.exit("a message")`
            atexit.register(lambda: tell(errors.pop()))
        raise
    except BaseException:
        sys.excepthook = _followed(sys.excepthook, tell)
        raise
    return 0


def _followed(hook: Callable[..., Any], tell: Tell) -> Callable[..., None]:
    """Return a hook with the traceback as it is without Miscast; afterwards it reports the error."""

    def last_words(
        kind: type[BaseException],
        error: BaseException,
        trace: types.TracebackType | None,
    ) -> None:
        error.__traceback__ = _own(trace)
        for one in chain(error):
            one.__traceback__ = without_ours(one.__traceback__)
        try:
            hook(kind, error, error.__traceback__)
        finally:
            tell(error)

    return last_words


def _watch_threads(tell: Tell) -> None:
    before = threading.excepthook

    def last_words(args: threading.ExceptHookArgs) -> None:
        before(args)
        if args.exc_value is not None and not issubclass(args.exc_type, SystemExit):
            tell(args.exc_value)

    threading.excepthook = last_words


def _own(trace: types.TracebackType | None) -> types.TracebackType | None:
    """Return the traceback below the lines of this file; all of it where none is of this file."""
    inside = trace
    while inside is not None and inside.tb_frame.f_code.co_filename != __file__:
        inside = inside.tb_next
    if inside is None:
        return trace
    while inside is not None and inside.tb_frame.f_code.co_filename == __file__:
        inside = inside.tb_next
    return inside


def _starter(target: str, args: list[str]) -> Callable[[], object]:
    if target.startswith("-m "):
        return lambda: _module(target[3:].strip(), args)
    if is_function(target):
        return lambda: _function(target, args)
    if starts_others(target):
        raise CannotRunError(
            f"{target} starts other programs: run '{target} … -m miscast run train.py'"
        )
    startable(target)
    if target.endswith(ENDING):
        raise CannotRunError(
            f"{target} is a notebook: convert it with 'jupyter nbconvert --to script', or use 'miscast check'"
        )
    if pkgutil.get_importer(target) is not None:
        return lambda: _folder(target, args)
    if not os.access(target, os.R_OK):
        raise CannotRunError(f"cannot read {target}")
    return lambda: _script(target, args)


def _script(target: str, args: list[str]) -> None:
    sys.argv[:] = [target, *args]
    _path(os.path.dirname(os.path.realpath(target)))
    file = os.path.abspath(target)
    main = types.ModuleType("__main__")
    main.__dict__.update(
        __file__=file, __cached__=None, __builtins__=sys.modules["builtins"]
    )
    main.__loader__ = SourceFileLoader("__main__", file)
    sys.modules["__main__"] = main
    exec(_code(file), main.__dict__)  # noqa: S102 - the program itself


def _code(file: str) -> types.CodeType:
    with io.open_code(file) as stream:
        compiled: types.CodeType | None = pkgutil.read_code(stream)
    if compiled is not None:
        return compiled
    with io.open_code(file) as stream:
        return compile(stream.read(), file, "exec", dont_inherit=True)


def _module(name: str, args: list[str]) -> None:
    sys.argv[:] = ["-m", *args]
    _path(os.getcwd())
    runpy._run_module_as_main(name)  # type: ignore[attr-defined]  # what `python -m` calls, frames included


def _folder(target: str, args: list[str]) -> None:
    """Run a folder or a zip file with a `__main__.py`."""
    sys.argv[:] = [target, *args]
    _path(os.path.abspath(target))
    runpy._run_module_as_main("__main__", alter_argv=False)  # type: ignore[attr-defined]  # as `python folder` does


def _function(target: str, args: list[str]) -> None:
    sys.argv[:] = [target, *args]
    _path(os.getcwd())
    module, _, function = target.partition(":")
    # unlike `importlib.import_module`, it leaves no frames of its own in a traceback
    __import__(module)
    found: Any = sys.modules[module]
    for part in function.split("."):
        found = getattr(found, part)
    found()


def _path(first: str) -> None:
    """Set `sys.path` as the program would find it, with its own folder in place of Miscast's."""
    if getattr(sys.flags, "safe_path", False) or sys.flags.isolated:
        return
    sys.path[:1] = [first]
