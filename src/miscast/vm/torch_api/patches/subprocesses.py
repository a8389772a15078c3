"""Python scripts that the program starts by `subprocess`: they run on the machine too, in forks of its process.

    subprocess.run([sys.executable, "train.py", "--lr", "1"], check=True)

The fork begins as a new interpreter would, but for the libraries that are loaded already: arguments, environment,
working folder and streams are those asked for, modules of the user's own are imported anew, and torch's settings are
torch's own. What a launcher (`torchrun`) would start in several processes runs as the first of these. A notebook's
kernel is followed, too; its cells are called `In[3]`, as in tracebacks, and not by a file that is not there. Other
commands are left alone, and so is code given by `-c`; a note names those of Python.
"""

from __future__ import annotations

import os
import random
import shlex
import signal
import subprocess
import sys
import traceback
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import torch

from ....running.launching.command_line import (
    Launching,
    Program,
    read,
    runs_python,
    starts_others,
)
from ....running.launching.entry import CannotRunError, as_main, command, starter
from ....running.launching.launchers import launching
from ....running.launching.torchrun import as_first
from ....running.process.environment import put
from ....running.process.patching import Patch, around
from ...provenance.on_behalf import theirs
from ...provenance.origin import USER, kind_of_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from ...machine import VirtualMachine

_STREAMS = (
    ("p2cread", 0, "stdin", "r"),
    ("c2pwrite", 1, "stdout", "w"),
    ("errwrite", 2, "stderr", "w"),
)
_PARENTS = ("p2cwrite", "c2pread", "errread")
_ENDS = {*_PARENTS, *(name for name, *_ in _STREAMS)}
_KERNELS = ("ipykernel_launcher", "ipykernel")
"""Modules that run a notebook's cells, as nbclient, papermill and nbconvert start them."""
_NOTEBOOKS = ("jupyter", "jupyter-nbconvert", "jupyter-execute", "papermill")
_TOOLS = (
    "pip", "venv", "compileall", "py_compile", "site", "sysconfig", "platform",
    "json.tool", "--version", "-V",
)  # fmt: skip
_SHOWN = 80  # characters of a command
_CODE = subprocess.Popen._execute_child.__code__  # type: ignore[attr-defined]
_NAMES = _CODE.co_varnames[1 : _CODE.co_argcount]  # they differ by Python's version


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `subprocess.Popen`, and `os.system`."""
    if hasattr(os, "fork"):
        yield around(subprocess.Popen, "__init__", _popen, vm)
        yield around(os, "system", _system)


def _cells(_vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    def get_code_name(_self: Any, _raw: str, _code: str, number: int) -> str:
        return f"In[{number}]"

    yield Patch(module.XCachingCompiler, "get_code_name", get_code_name)


LATER = {"ipykernel.compiler": _cells}


def _popen(
    vm: VirtualMachine,
    original: Callable[..., None],
    self: Any,
    args: Any,
    *rest: Any,
    **options: Any,
) -> None:
    program = _program(args, options.get("cwd"))
    # the instance's own comes before what a box has put into the class
    if program is not None:
        self._execute_child = partial(_forked, vm, self, program)
    elif (left := _left_alone(args)) is not None:
        vm.recorder.note(f"a subprocess was not checked: {left}")
    theirs(original, self, args, *rest, **options)


def _forked(vm: VirtualMachine, self: Any, program: Program, *values: Any) -> None:
    """Fork a process for `Popen._execute_child`."""
    given = dict(zip(_NAMES, values, strict=True))
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    reading, ready = os.pipe()
    self.pid = os.fork()
    if self.pid == 0:
        os.close(reading)
        _begin(vm, program, given, ready)
    os.close(ready)
    # as for real: when Popen returns, the process has its session and its streams
    os.read(reading, 1)
    os.close(reading)
    self._child_created = True
    self._close_pipe_fds(*(given[name] for name in _NAMES if name in _ENDS))


def _system(original: Callable[[Any], int], command: Any) -> int:
    if isinstance(command, str) and _program(command, None) is not None:
        code = subprocess.call(command, shell=True)  # noqa: S602 - it is read as a program, as above
        # as wait(2) tells of an exit, and of a signal
        return code << 8 if code >= 0 else -code
    return theirs(original, command)


def _program(typed: Any, folder: Any) -> Program | None:
    """Return the script that a command runs, if it is one that can be run here.

    A file, or a module of the user's own.
    """
    try:
        program = (
            None
            if typed is None or isinstance(typed, (bytes, os.PathLike))
            else read(typed)
        )
    except (TypeError, ValueError):
        return None
    if program is None or _another(typed):
        return None
    if starts_others(program.target):
        return program
    where = os.fsdecode(folder) if folder is not None else os.getcwd()
    return program if _is_file_of(program.target, where) else None


def _is_file_of(target: str, folder: str) -> bool:
    """Check whether `train.py`, or `-m package.train`, is in a folder, or is a notebook kernel, wherever that is."""
    if not target.startswith("-m "):
        return os.path.isfile(os.path.join(folder, target))
    module = target[3:].strip()
    path = os.path.join(folder, *module.split("."))
    return (
        module in _KERNELS
        or os.path.isfile(f"{path}.py")
        or os.path.isfile(os.path.join(path, "__main__.py"))
    )


def _left_alone(typed: Any) -> str | None:
    """Return the command, shortened, if it runs Python code outside the machine that may use torch."""
    try:
        words = (
            shlex.split(typed)
            if isinstance(typed, str)
            else [os.fsdecode(word) for word in typed]
        )
    except (TypeError, ValueError):
        return None
    if not words or not _runs_code(words):
        return None
    told = shlex.join([os.path.basename(words[0]), *words[1:]]).replace("\n", " ")
    return told if len(told) <= _SHOWN else told[: _SHOWN - 1] + "…"


def _runs_code(words: list[str]) -> bool:
    """Check whether a command is Python's with a program that may use torch, or runs a notebook."""
    if os.path.basename(words[0]) not in _NOTEBOOKS and not runs_python(words[0]):
        return False
    options = words[1:4]
    return not any(word in _TOOLS for word in options) and (
        "-c" not in options or any("torch" in w for w in words)
    )


def _another(typed: Any) -> bool:
    """Check whether it names the interpreter of another environment by its path."""
    word = os.fsdecode(
        shlex.split(typed)[0] if isinstance(typed, str) else next(iter(typed))
    )
    return os.path.isabs(word) and os.path.dirname(word) != os.path.dirname(
        sys.executable
    )


def _begin(
    vm: VirtualMachine, program: Program, given: Mapping[str, Any], ready: int
) -> NoReturn:
    """Run the program in the fork; close `ready` once the caller's settings are in effect."""
    status = 1
    try:
        _take(given)
        os.close(ready)
        _forget()
        _run(vm, program)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        if end.code is not None and not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
    except CannotRunError as error:
        print(error, file=sys.stderr)
        status = 2
    except BaseException:  # noqa: BLE001 - a fork must not go on as its parent
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        os._exit(status & 0xFF)


def _run(vm: VirtualMachine, program: Program) -> Any:
    """Run the program; for a launcher, run the first process that it starts."""
    while starts_others(program.target):
        try:
            with as_main(program.target, program.args), launching():
                return (starter if program.target.startswith("-m ") else command)(
                    program.target
                )()
        except Launching as start:
            program = as_first(start.launch)
            if start.launch.note:
                vm.recorder.note(start.launch.note)
    with as_main(program.target, program.args):
        return starter(program.target)()


def _take(given: Mapping[str, Any]) -> None:
    """Apply the caller's settings to the process."""
    _take_streams(given)
    if given.get("cwd") is not None:
        os.chdir(given["cwd"])
    if given.get("env") is not None:
        put({os.fsdecode(k): os.fsdecode(v) for k, v in given["env"].items()})
    if given.get("start_new_session"):
        os.setsid()
    if (group := given.get("process_group", -1)) is not None and group >= 0:
        os.setpgid(0, group)
    if given.get("preexec_fn") is not None:
        given["preexec_fn"]()


def _take_streams(given: Mapping[str, Any]) -> None:
    for name in _PARENTS:
        if given.get(name, -1) != -1:
            os.close(given[name])
    for name, number, _, _ in _STREAMS:
        if given.get(name, -1) not in (-1, number):
            os.dup2(given[name], number)
    for _, number, name, mode in _STREAMS:
        setattr(sys, name, open(number, mode, closefd=False, buffering=1))  # noqa: SIM115 - for the process's life


def _forget() -> None:
    """Forget modules that are not a library's, and the program's torch settings."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and name != "__main__" and kind_of_file(file) == USER:
            del sys.modules[name]
    _leave_loops()
    # of an application that is one per process, the parent's
    if "traitlets.config" in sys.modules:
        _singles_end(sys.modules["traitlets.config"].SingletonConfigurable)
    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)
    torch.set_grad_enabled(True)
    torch.seed()
    random.seed()


def _leave_loops() -> None:
    """Leave the event loop of the parent, and the signals that it handles."""
    if (asyncio := sys.modules.get("asyncio")) is None:
        return
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        if str(getattr(signal.getsignal(number), "__module__", "")).startswith(
            "asyncio"
        ):
            signal.signal(
                number,
                signal.default_int_handler
                if number == signal.SIGINT
                else signal.SIG_DFL,
            )
    asyncio.events._set_running_loop(None)
    asyncio.set_event_loop(asyncio.new_event_loop())


def _singles_end(kind: Any) -> None:
    kind._instance = None
    for below in kind.__subclasses__():
        _singles_end(below)
