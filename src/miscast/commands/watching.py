"""`check --watch`: a check again whenever a file that the program read changes, in a fork of one warm process.

[14:02:11] checking train.py
… the report …
[14:02:34] watching 12 files: Ctrl-C to end
"""

from __future__ import annotations

import argparse
import importlib
import os
import shutil
import signal
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

from .refusal import RefusedError, concluded

if TYPE_CHECKING:
    from ..trials.warm import Warm

_EVERY = 0.3  # seconds from one look at the files to the next
_SHARE = 20  # as many times as long as a look takes, where there are many files
_LIBRARIES = 10  # looks, of which one is for the files of libraries
_QUIET = 0.1  # seconds without a change, after which an editor has written all
_REFUSED = {
    "fix": False,
    "diff": False,
    "keep": None,
    "write_baseline": None,
    "writes": "box",
    "ranks": 0,
}
_PARTS = (
    "..api",
    "..box.within",
    "..box.program",
    "..fixes",
    "..fixes.other_arguments",
    "..report.text",
)
_CLEAR = "\x1b[2J\x1b[H"
Stamp = object


def watched(options: argparse.Namespace, answer: Callable[[Warm], int]) -> int:
    """Return 0 after an interrupt between checks, 128 + N where signal N ended one. `answer` checks once, in a fork."""
    from ..box.start import apart
    from ..box.supervisor import handling
    from ..process.standard_input import kept
    from ..trials.warm import Warm

    for name, usual in _REFUSED.items():
        if getattr(options, name) != usual:
            raise RefusedError(f"--{name.replace('_', '-')} is not for --watch")
    if options.format != "text" and options.output is None:
        raise RefusedError(f"--watch with --format {options.format} needs --output")
    if not apart():
        raise RefusedError(
            "--watch needs a process of its own that can fork: Linux or macOS"
        )
    kept()
    folder = tempfile.mkdtemp(prefix="miscast-")
    try:
        watch = _Watch(options, answer, Warm(folder))
        with handling(watch.signalled):
            return watch.run()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _EndedError(Exception):
    """A signal came while nothing was checked."""


class _Watch:
    def __init__(
        self, options: argparse.Namespace, answer: Callable[[Warm], int], warm: Warm
    ) -> None:
        self._options, self._answer, self._warm = options, answer, warm
        self._at_work = 0
        self._stamps: dict[str, Stamp] = {}

    def run(self) -> int:
        """Check, and wait for changes, until a signal."""
        try:
            self._warm.load()
            for name in _PARTS:
                importlib.import_module(name, __package__)
            code = self._checked()
            while code < 128:
                if self._warm.stale:
                    self._restart()
                self._await_change()
                if sys.stdout.isatty():
                    print(end=_CLEAR, flush=True)
                code = self._checked()
        except _EndedError as end:
            number: int = end.args[0]
            return 0 if number == signal.SIGINT else 128 + number
        return code

    def signalled(self, number: int, _: Any) -> None:
        """Hand a signal to the check; a terminal has sent its interrupt to it as well."""
        from ..box.view import View

        if not self._at_work:
            raise _EndedError(number)
        if number != signal.SIGINT or not View().foreground():
            os.kill(self._at_work, number)

    def _checked(self) -> int:
        """Return the exit code of a check in a fork, and know which files to look at."""
        begin = time.time_ns()
        _say(f"checking {self._options.target}")
        before = {path: _stamp(path) for path in self._stamps}
        with suppress(
            OSError
        ):  # a file is read from its start again; a terminal has none
            os.lseek(0, 0, os.SEEK_SET)
        self._options.read = self._warm.begin()
        parent = os.getpid()
        self._at_work = os.fork()
        if not self._at_work:
            self._fork(parent)
        os.close(self._options.read)
        _, status = os.waitpid(self._at_work, 0)
        self._at_work = 0
        if os.WIFSIGNALED(status):
            _say(f"the check died ({signal.Signals(os.WTERMSIG(status)).name})")
        paths = _watchable(self._warm.read() | self._always())
        now = {path: _stamp(path) for path in paths}
        # one that is new here may have been written since it was read
        self._stamps = {
            path: before[path]
            if path in before
            else stamp
            if _older(stamp, begin)
            else ()
            for path, stamp in now.items()
        }
        return os.waitstatus_to_exitcode(status)

    def _fork(self, parent: int) -> NoReturn:
        from ..process.linux import die_with_parent

        die_with_parent(parent)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        try:
            code = concluded(lambda: self._answer(self._warm))
            with suppress(OSError, ValueError):
                sys.stdout.flush()
        finally:
            os._exit(code)

    def _always(self) -> set[str]:
        """Files that are looked at though the program may not have come to them."""
        from ..report.repository import nearest
        from ..suppression.settings import FILE

        options = self._options
        project = nearest(FILE, os.path.isfile) or "."
        mine = {os.path.join(project, FILE), options.target, *options.edit}
        mine.update(filter(None, [options.baseline]))
        return {
            os.path.abspath(path)
            for path in mine
            if not options.module or path != options.target
        }

    def _await_change(self) -> None:
        """Until a file has changed, and nothing more changes. Never returns where it is one of a library."""
        files = sum(not os.path.isdir(path) for path in self._stamps)
        _say(f"watching {files} file{'s' * (files != 1)}: Ctrl-C to end")
        self._warm.heat()
        libraries = {path: _stamp(path) for path in _loaded()}
        looks = 0
        while not _differs(self._stamps):
            begin = time.monotonic()
            looks += 1
            if looks % _LIBRARIES == 0 and _differs(libraries):
                self._restart()
            time.sleep(max(_EVERY, _SHARE * (time.monotonic() - begin)))
        seen: dict[str, Stamp] = {}
        while seen != (seen := {path: _stamp(path) for path in self._stamps}):
            time.sleep(_QUIET)
        if _differs(libraries):
            self._restart()

    def _restart(self) -> NoReturn:
        """Begin as this process was begun: what it has imported is not what the next check would import."""
        _say("the libraries or their environment have changed: starting again")
        shutil.rmtree(self._warm.folder, ignore_errors=True)
        command = [sys.executable, *sys.orig_argv[1:]]
        os.execv(sys.executable, command)  # noqa: S606 - as it was begun


def _say(text: str) -> None:
    print(time.strftime("[%H:%M:%S]"), text, file=sys.stderr, flush=True)


def _watchable(paths: Iterable[str]) -> set[str]:
    """Those that are not the system's, and the folders of modules: one that is missing may appear there."""
    installed = (
        sysconfig.get_path("stdlib"),
        sysconfig.get_path("purelib"),
        "/usr/",
        "/etc/",
        "/lib",
    )
    scratch = os.path.join(tempfile.gettempdir(), "miscast-")
    own = {path for path in paths if not path.startswith((*installed, scratch))}
    return own | {os.path.dirname(path) for path in own if path.endswith(".py")}


def _loaded() -> set[str]:
    """The files of all modules of this process."""
    files = (getattr(one, "__file__", None) for one in list(sys.modules.values()))
    return {file for file in files if isinstance(file, str)}


def _stamp(path: str) -> Stamp:
    """Return what changes with a file, or with the modules in a folder; None where there is none."""
    try:
        state = os.stat(path)
        if os.path.isdir(path):
            return sorted(name for name in os.listdir(path) if _is_module(path, name))
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size, state.st_ino


def _is_module(folder: str, name: str) -> bool:
    return name.endswith(".py") or (
        "." not in name and os.path.exists(os.path.join(folder, name, "__init__.py"))
    )


def _older(stamp: Stamp, begin: int) -> bool:
    return not isinstance(stamp, tuple) or stamp[0] < begin


def _differs(stamps: dict[str, Stamp]) -> bool:
    return any(_stamp(path) != stamp for path, stamp in stamps.items())
