"""Run a script, a module or a callable on a virtual machine, whatever it does to itself."""

from __future__ import annotations

import importlib
import os
import runpy
import sys
import traceback
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..event import TensorMeta, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..machines import Machine
    from .outside import Outside
    from .vm import VirtualMachine


class CannotRunError(Exception):
    """The program could not even be started; the message is one clear line."""


def run_program(
    target: str,
    args: Sequence[str],
    machine: Machine,
    *,
    batches: int = 2,
    box: Outside | None = None,
    watch: Callable[[VirtualMachine], None] | None = None,
) -> Trace:
    """Run `script.py`, `-m module` (as "-m module") or `package.module:function`, with `args` as its own.

    Returns the trace also when the program fails, exits or is interrupted: `Trace.ended` says in one line how. Raises
    CannotRunError when there is nothing to run.
    """
    start = _starter(target)
    vm = virtual_machine(machine, batches, box)
    if watch is not None:
        watch(vm)
    with _as_main(target, args), vm.on():
        _guarded(vm, start)
    return vm.trace()


def run_callable(  # noqa: PLR0913 - those of `fn`, and how to run it
    fn: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    machine: Machine,
    *,
    batches: int = 2,
    watch: Callable[[VirtualMachine], None] | None = None,
) -> tuple[Trace, Any]:
    """Call `fn` on a virtual machine. Returns the trace, and what it returned with tensors as `TensorMeta`."""
    vm = virtual_machine(machine, batches)
    if watch is not None:
        watch(vm)
    result: list[Any] = [None]

    def call() -> None:
        result[0] = describe(fn(*_virtual(args), **_virtual(kwargs)))

    with vm.on(), _borrowed():
        _guarded(vm, call)
    return vm.trace(), result[0]


def _borrowed() -> AbstractContextManager[None]:
    from .borrowed import borrowed

    return borrowed()


def virtual_machine(machine: Machine, batches: int = 2, box: Outside | None = None) -> VirtualMachine:
    """A virtual machine that is off. Raises CannotRunError where torch cannot be imported."""
    try:
        from .vm import VirtualMachine
    except ImportError as error:
        raise CannotRunError(f"torch is needed to run a program, and cannot be imported: {error}") from error
    return VirtualMachine(machine, batches, box)


def _starter(target: str) -> Callable[[], Any]:
    if target.startswith("-m "):
        name = target[3:].strip()
        return lambda: runpy.run_module(name, run_name="__main__", alter_sys=True)
    if ":" in target and not os.path.exists(target) and not target.endswith(".py"):
        module, _, function = target.partition(":")

        def call() -> Any:
            found = importlib.import_module(module)
            for part in function.split("."):
                found = getattr(found, part)
            return found()  # type: ignore[operator]

        return call
    path = Path(target)
    if path.is_dir() and not (path / "__main__.py").exists():
        raise CannotRunError(f"{target} is a folder without __main__.py")
    if not path.exists():
        raise CannotRunError(f"{target}: no such file")
    if path.is_file():
        try:
            source = path.read_bytes()
            compile(source, str(path), "exec", dont_inherit=True)
        except SyntaxError as error:
            raise CannotRunError(f"{error.filename}:{error.lineno}: {error.msg}") from error
        except (OSError, ValueError) as error:
            raise CannotRunError(f"{target} cannot be read: {error}") from error
    return lambda: runpy.run_path(str(path), run_name="__main__")


@contextmanager
def _as_main(target: str, args: Sequence[str]) -> Iterator[None]:
    """`sys.argv`, `sys.path` and `sys.modules` as the program would find them, and as before afterwards."""
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


def _guarded(vm: VirtualMachine, start: Callable[[], Any]) -> None:
    """Run, and turn every way in which a program can end into one line."""
    from . import refused

    owner = os.getpid()
    try:
        start()
    except SystemExit as exit_:
        if os.getpid() != owner:
            os._exit(exit_.code if isinstance(exit_.code, int) else 1)
        if exit_.code not in (None, 0):
            vm.recorder.ended = f"the program exited with {exit_.code!r}{_at(exit_)}"
    except KeyboardInterrupt as error:
        vm.recorder.ended = f"the program was interrupted{_at(error)}"
    except BaseException as error:  # noqa: BLE001 - a program may raise anything; it is reported, not swallowed
        if os.getpid() != owner:
            traceback.print_exc()
            os._exit(1)
        vm.recorder.ended = _story(error)
        refused.ending(vm.recorder, error)
    if os.getpid() != owner:
        os._exit(0)  # a child that the program forked and let run on: the report is the parent's


def _story(error: BaseException) -> str:
    """One line: what was raised, and at which line of the user's code."""
    text = next(iter(str(error).splitlines()), "")
    if "func != nullptr" in text:  # C++ cannot hand a `__torch_dispatch__` subclass to the virtual machine
        text = "a tensor subclass with __torch_dispatch__ (DTensor, torchao, …) cannot be followed"
    return f"the program raised {type(error).__name__}: {text}{_at(error)}"[:500]


def _at(error: BaseException) -> str:
    """In words: " at train.py:12", the user's innermost line."""
    from .origin import USER, kind_of

    where = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        if kind_of(frame.f_code) == USER:
            where = f" at {frame.f_code.co_filename}:{line}"
    return where


def _virtual(tree: Any) -> Any:
    """Real tensors among the arguments are taken for their dtype, shape and device."""
    from .key import KEYSET, Exclude
    from .record import is_tensor
    from .virtual import virtualize

    if is_tensor(tree):
        with Exclude(KEYSET):
            return virtualize(tree, op="argument", kind="given", own=False)
    if type(tree) in (list, tuple):
        return type(tree)(_virtual(v) for v in tree)
    if type(tree) is dict:
        return {k: _virtual(v) for k, v in tree.items()}
    return tree


def describe(tree: Any) -> Any:
    """A result with its tensors as plain data."""
    from .record import find, is_tensor

    if is_tensor(tree):
        record = find(tree)
        device = record.device if record is not None and record.device is not None else tree.device
        return TensorMeta(dtype=str(tree.dtype)[6:], device=str(device), shape=tuple(int(n) for n in tree.shape))
    if isinstance(tree, dict):
        return {k: describe(v) for k, v in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(describe(v) for v in tree))
    if isinstance(tree, (list, tuple)):
        return type(tree)(describe(v) for v in tree)
    return tree
