"""Python's settings: streams, hooks, signals, seeds, logging, warnings, environment, folder, what is imported how."""

from __future__ import annotations

import builtins
import decimal
import faulthandler
import gc
import locale
import logging
import multiprocessing
import os
import random
import signal
import socket
import sys
import threading
import warnings
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from .environment import put
from .setting import Array, Same, Setting, attributes, content

if TYPE_CHECKING:
    from collections.abc import Iterator


def settings() -> Iterator[Setting]:
    """Yield all of them."""
    yield from attributes(sys, "sys", "stdin", "stdout", "stderr", "argv")
    yield from attributes(sys, "sys", "excepthook", "displayhook", "unraisablehook")
    yield from attributes(threading, "threading", "excepthook")
    for name in ("path", "argv", "meta_path", "path_hooks"):
        yield content(f"the content of sys.{name}", getattr(sys, name))
    # fmt: off
    yield Setting("the main module", lambda: Same(sys.modules.get("__main__")), _set_main)
    yield content("the builtins", vars(builtins))
    yield Setting("the recursion limit", sys.getrecursionlimit, sys.setrecursionlimit)
    yield Setting("the switch interval", sys.getswitchinterval, sys.setswitchinterval)
    yield Setting("the trace function", lambda: Same(sys.gettrace()), lambda before: sys.settrace(before.value))
    yield Setting("the profile function", lambda: Same(sys.getprofile()), lambda before: sys.setprofile(before.value))
    yield Setting("garbage collection", lambda: (gc.isenabled(), gc.get_threshold(), gc.get_debug()), _set_gc)
    yield content("gc.callbacks", gc.callbacks)
    yield Setting("the fault handler", faulthandler.is_enabled, _set_faulthandler)
    if threading.current_thread() is threading.main_thread():
        yield Setting("signal handlers", _signals, _set_signals)
    yield Setting("the umask", _umask, os.umask)
    yield Setting("the locale", partial(locale.setlocale, locale.LC_ALL), partial(locale.setlocale, locale.LC_ALL))
    yield Setting("the decimal context", lambda: Same(decimal.getcontext()), lambda b: decimal.setcontext(b.value))
    yield Setting("the time limit of sockets", socket.getdefaulttimeout, socket.setdefaulttimeout)
    yield Setting("how processes start", partial(multiprocessing.get_start_method, allow_none=True),
                  partial(multiprocessing.set_start_method, force=True))
    yield Setting("random's state", random.getstate, random.setstate)
    yield from _numpy()
    yield Setting("the environment", lambda: dict(os.environ), put)
    yield Setting("the current folder", os.getcwd, _set_folder)
    yield Setting("filters of warnings", lambda: list(warnings.filters), _set_filters)
    yield from attributes(warnings, "warnings", "showwarning", "formatwarning")
    yield Setting("loggers", _loggers, _set_loggers)
    # fmt: on


def _set_main(before: Same) -> None:
    if before.value is None:
        sys.modules.pop("__main__", None)
    else:
        sys.modules["__main__"] = before.value


def _set_gc(before: tuple[bool, tuple[int, int, int], int]) -> None:
    (gc.enable if before[0] else gc.disable)()
    gc.set_threshold(*before[1])
    gc.set_debug(before[2])


def _set_faulthandler(before: bool) -> None:
    if before:
        faulthandler.enable(sys.__stderr__ or sys.stderr)
    else:
        faulthandler.disable()


def _signals() -> dict[int, Any]:
    return {number: signal.getsignal(number) for number in signal.valid_signals()}


def _set_signals(before: dict[int, Any]) -> None:
    for number, handler in before.items():
        # None: not set from Python
        if handler is not None and signal.getsignal(number) is not handler:
            with suppress(OSError, ValueError):  # SIGKILL and its like have no handler
                signal.signal(number, handler)


def _umask() -> int:
    """Return the umask, which can only be read by setting it."""
    before = os.umask(0o077)
    os.umask(before)
    return before


def _numpy() -> Iterator[Setting]:
    if "numpy" in sys.modules:
        numpy: Any = sys.modules["numpy"]
        # fmt: off
        yield Setting("numpy's random state", lambda: Array(numpy.random.get_state()), numpy.random.set_state)
        yield Setting("numpy's errors", numpy.geterr, lambda before: numpy.seterr(**before))
        yield Setting("how arrays are printed", numpy.get_printoptions, lambda b: numpy.set_printoptions(**b))
        # fmt: on


def _set_folder(before: str) -> None:
    with suppress(FileNotFoundError):  # the program has deleted it, or changed its root
        os.chdir(before)


def _set_filters(before: list[Any]) -> None:
    warnings.filters[:] = before  # type: ignore[index]
    warnings._filters_mutated()  # type: ignore[attr-defined]


def _loggers() -> dict[logging.Logger, tuple[Any, ...]]:
    """Return level, handlers and switches of each logger, and the level that disables all."""
    known = list(logging.root.manager.loggerDict.values())
    found = {one: _logger(one) for one in known if isinstance(one, logging.Logger)}
    return {
        **found,
        logging.root: (*_logger(logging.root), logging.root.manager.disable),
    }


def _logger(one: logging.Logger) -> tuple[Any, ...]:
    held = tuple(one.handlers), tuple(one.filters)
    return one.level, *held, one.propagate, one.disabled


def _set_loggers(before: dict[logging.Logger, tuple[Any, ...]]) -> None:
    for one, (level, handlers, filters, propagate, disabled, *more) in before.items():
        if one.level != level:
            one.setLevel(level)
        one.handlers[:], one.filters[:] = handlers, filters
        one.propagate, one.disabled = propagate, disabled
        if more:
            logging.disable(more[0])
