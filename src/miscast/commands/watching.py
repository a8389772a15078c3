"""`check --watch`: a check again whenever a file that the program read changes, in a fork of one warm process.

[14:02:11] checking train.py
… the report …
[14:02:34] watching 12 files: Ctrl-C to stop
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
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

from ..running.program.files_read import modules_in
from .refusal import RefusedError, concluded

if TYPE_CHECKING:
    from ..fixing.trials.warm import Warm

_EVERY = 0.3  # seconds from one look at the files to the next
_SHARE = 20  # times as long as a look takes, where there are many files
_LIBRARIES = 10  # looks, of which one is for the files of libraries
# fmt: off
_REFUSED = {"fix": False, "diff": False, "keep": None, "write_baseline": None, "writes": "box", "ranks": 0}
"""Options that mean nothing here, or would write what the program reads, with their defaults."""
_PARTS = ("..api", "..box.within", "..box.program", "..fixing.fixes", "..fixing.fixes.other_arguments", "..report.text")
"""Miscast's modules for a check."""
_INSTALLED = (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), "/usr/", "/etc/", "/lib")
# fmt: on
_CLEAR = "\x1b[2J\x1b[H"

Stamps = Mapping[str, object]


def watched(options: argparse.Namespace, answer: Callable[[Warm], int]) -> int:
    """Return 0 after an interrupt between checks, 128 + N where signal N ended one. `answer` checks once, in a fork."""
    from ..box.start import apart
    from ..box.supervisor import handling
    from ..fixing.trials.warm import Warm
    from ..running.process.standard_input import kept

    for name, usual in _REFUSED.items():
        if getattr(options, name) != usual:
            raise RefusedError(
                f"--{name.replace('_', '-')} cannot be used with --watch"
            )
    if options.format != "text" and options.output is None:
        raise RefusedError(f"--watch with --format {options.format} needs --output")
    if not apart():
        raise RefusedError("--watch needs a separate process, on Linux or macOS")
    kept()
    folder = tempfile.mkdtemp(prefix="miscast-")
    try:
        warm = Warm(folder)
        watch = _Watch(options, lambda: concluded(lambda: answer(warm)), warm)
        with handling(watch.signalled):
            return watch.run()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _EndedError(BaseException):
    """A signal came while nothing was checked."""


class _Watch:
    def __init__(
        self, options: argparse.Namespace, answer: Callable[[], int], warm: Warm
    ) -> None:
        self._options, self._answer, self._warm = options, answer, warm
        self._stamps: Stamps = {}
        self._ended = 0

    def run(self) -> int:
        """Check, and wait for changes, until a signal."""
        try:
            self._warm.load()
            with suppress(ImportError):
                for name in _PARTS:
                    importlib.import_module(name, __package__)
            while (code := self._checked()) < 128:
                if self._warm.stale:
                    self._restart()
                self._await_change()
                if sys.stdout.isatty():
                    print(end=_CLEAR, flush=True)
        except _EndedError:
            return 0 if self._ended == signal.SIGINT else 128 + self._ended
        return code

    def signalled(self, number: int, _: Any) -> None:
        """Hand a signal to the check; a terminal has sent its interrupt to it as well."""
        from ..box.view import View

        if not self._warm.at_work:
            self._ended = number
            raise _EndedError
        if number != signal.SIGINT or not View().foreground():
            os.kill(self._warm.at_work, number)

    def _checked(self) -> int:
        """Return the exit code of a check in a fork, and know which files to look at."""
        _say(f"checking {self._options.target}")
        begin, before = time.time_ns(), _stamps(self._stamps)
        self._options.read = self._warm.begin()
        code = self._warm.run(self._answer)
        os.close(self._options.read)
        if code < 0:
            _say(f"the check was killed ({signal.Signals(-code).name})")
        # one that is new here may have been written since it was read
        self._stamps = {
            path: before.get(path, stamp if _is_older(stamp, begin) else ())
            for path, stamp in _stamps(self._paths()).items()
        }
        return code

    def _paths(self) -> set[str]:
        """Return what the check reads, and the folders of modules: one that is missing may appear there."""
        from ..report.repository import nearest
        from ..suppression.settings import FILE

        project = os.path.join(nearest(FILE, os.path.isfile) or "", FILE)
        mine = {os.path.abspath(path) for path in (project, self._options.target)}
        scratch = os.path.join(tempfile.gettempdir(), "miscast-")
        own = {
            path
            for path in mine | self._warm.read()
            if not path.startswith((*_INSTALLED, scratch))
        }
        return own | {os.path.dirname(path) for path in own if path.endswith(".py")}

    def _await_change(self) -> None:
        """Return when a file has changed, and an editor has written all."""
        files = sum(not os.path.isdir(path) for path in self._stamps)
        _say(f"watching {files} file{'s' * (files != 1)}; Ctrl-C to stop")
        self._warm.heat()
        libraries = _stamps(_loaded())
        looks, before, now = 0, self._stamps, self._stamps
        while now == self._stamps or now != before:
            if self._ended:  # an import has swallowed the error
                raise _EndedError
            begin, looks = time.monotonic(), looks + 1
            before, now = now, _stamps(self._stamps)
            if looks % _LIBRARIES == 0 and _stamps(libraries) != libraries:
                self._restart()
            time.sleep(max(_EVERY, _SHARE * (time.monotonic() - begin)))
        if _stamps(libraries) != libraries:
            self._restart()

    def _restart(self) -> NoReturn:
        """Begin as this process was begun: what it has imported is not what the next check would import."""
        _say("the installed libraries have changed: restarting")
        shutil.rmtree(self._warm.folder, ignore_errors=True)
        command = [sys.executable, *sys.orig_argv[1:]]
        os.execv(sys.executable, command)  # noqa: S606 - as it was begun


def _say(text: str) -> None:
    print(time.strftime("[%H:%M:%S]"), text, file=sys.stderr, flush=True)


def _loaded() -> set[str]:
    """Return the files of all modules of this process."""
    files = (getattr(one, "__file__", None) for one in list(sys.modules.values()))
    return {file for file in files if isinstance(file, str)}


def _stamps(paths: Iterable[str]) -> dict[str, object]:
    return {path: _stamp(path) for path in paths}


def _stamp(path: str) -> object:
    """Return a value that changes with a file, or with the modules in a folder; None if it does not exist."""
    try:
        if os.path.isdir(path):
            return modules_in(path)
        state = os.stat(path)
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size, state.st_ino


def _is_older(stamp: object, begin: int) -> bool:
    return not isinstance(stamp, tuple) or stamp[0] < begin
