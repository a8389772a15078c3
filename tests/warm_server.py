"""A process that has imported torch, and runs each command of Python that it is asked for in a fork of itself.

A fork is as a new interpreter: torch is in no `sys.modules` and comes back, in no time, when it is imported. The client
(`warm.py`) sends, over the socket whose number is the only argument, the command as JSON with its three standard
streams; the answers are the id of the fork's process, and its wait status.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import sys
import tempfile
import threading
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from types import ModuleType
from typing import Any, NoReturn

PRELOADED = "numpy", "torch", "torch.utils.data", "torch._dynamo", "msgspec", "rich.console", "libcst"
"""In the order in which they import one another. Nothing of Miscast: what a test runs imports that itself."""


class Stash:
    """A finder of modules that were taken out of `sys.modules`. The first of a group brings all others back."""

    def __init__(self, names: Sequence[str]) -> None:
        self.modules: dict[str, ModuleType] = {}
        self.groups: dict[str, list[str]] = {}
        before = set(sys.modules)
        for name in names:
            importlib.import_module(name)
            self.groups[name] = [one for one in sys.modules if one not in before and not _is_pythons(one)]
            before = set(sys.modules)
        for name in [one for group in self.groups.values() for one in group]:
            self.modules[name] = sys.modules.pop(name)
        self._specs = {name: vars(module).get("__spec__") for name, module in self.modules.items()}

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> Any:
        spec = copy(self._specs.get(name))
        if spec is not None:
            spec.loader = Returning(self, spec.loader)
        return spec

    def back(self, name: str) -> None:
        """Put a module back, or all that its import brings, and tell those who wait for one of them."""
        names = [one for one in self.groups.get(name, [name]) if one == name or one not in sys.modules]
        for one in names:
            sys.modules[one] = self.modules[one]
            vars(self.modules[one])["__spec__"] = self._specs[one]  # some forbid to set an attribute
        waiting = sys.meta_path[: sys.meta_path.index(self)]
        for one in names:
            for finder in waiting if one != name else ():
                if (spec := finder.find_spec(one, None)) is not None and spec.loader is not None:
                    spec.loader.exec_module(self.modules[one])


def _is_pythons(name: str) -> bool:
    return name.partition(".")[0] in sys.stdlib_module_names


class Returning:
    """A loader that returns a module of the stash; what is asked of it otherwise, the module's own loader knows."""

    def __init__(self, stash: Stash, loader: Any) -> None:
        self.stash, self.loader = stash, loader

    def create_module(self, spec: Any) -> ModuleType:
        return self.stash.modules[spec.name]

    def exec_module(self, module: ModuleType) -> None:
        if vars(module)["__spec__"].loader is not self.loader:
            self.stash.back(module.__name__)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)


def serve(stream: socket.socket) -> None:
    """Answer until the client has gone."""
    clean = list(sys.path[1:])  # without the folder of this file
    stash = Stash(PRELOADED)
    gc.collect()
    while True:
        message, descriptors, _, _ = socket.recv_fds(stream, 1 << 20, 3)
        if not message:
            return
        command = json.loads(message)
        pid = os.fork()
        if pid == 0:
            stream.close()
            _run(command, descriptors, stash, clean)
        for descriptor in descriptors:
            os.close(descriptor)
        stream.sendall(b"%d\n" % pid)
        stream.sendall(b"%d\n" % os.waitpid(pid, 0)[1])


def _run(command: dict[str, Any], descriptors: list[int], stash: Stash, path: list[str]) -> NoReturn:
    """In the fork: as `python ARGUMENTS`."""
    code = 1
    try:
        os.setpgid(0, 0)
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
            os.close(descriptor)
        os.chdir(command["folder"])
        os.environ.clear()
        os.environ.update(command["environment"])
        tempfile.tempdir = None  # it is asked of the environment again
        sys.warnoptions[:] = [one for one in os.environ.get("PYTHONWARNINGS", "").split(",") if one]
        warnings._processoptions(sys.warnoptions)  # type: ignore[attr-defined]  # as the interpreter does at its start
        sys.path[:] = [*filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)), *path]
        sys.meta_path.insert(0, stash)
        code = _ended(command["arguments"])
    except KeyboardInterrupt:
        traceback.print_exc()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    finally:
        with suppress(Exception):
            threading._shutdown()  # type: ignore[attr-defined]  # it waits for the program's threads
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        os._exit(code)


def _ended(arguments: list[str]) -> int:
    """Run a script, a module or a text; the exit code."""
    main = ModuleType("__main__")
    main.__dict__["__builtins__"] = sys.modules["builtins"]
    sys.modules["__main__"] = main
    try:
        if arguments[0] == "-c":
            sys.argv[:] = ["-c", *arguments[2:]]
            sys.path.insert(0, "")
            exec(compile(arguments[1], "<string>", "exec"), main.__dict__)
        elif arguments[0] == "-m":
            sys.argv[:] = ["-m", *arguments[2:]]
            sys.path.insert(0, os.getcwd())
            runpy._run_module_as_main(arguments[1])  # type: ignore[attr-defined]
        else:
            sys.argv[:] = arguments
            sys.path.insert(0, os.path.dirname(os.path.realpath(arguments[0])))
            main.__dict__.update(__file__=arguments[0], __spec__=None, __cached__=None)
            with open(arguments[0], "rb") as file:
                source = file.read()
            exec(compile(source, arguments[0], "exec"), main.__dict__)
    except SystemExit as end:
        if isinstance(end.code, int) or end.code is None:
            return (end.code or 0) & 0xFF
        print(end.code, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - it ends as a program does
        _drop_own_frames(error)
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    return 0


def _drop_own_frames(error: BaseException) -> None:
    """A traceback begins with the program."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    error.__traceback__ = trace


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
