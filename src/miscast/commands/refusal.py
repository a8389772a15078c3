"""Requests that cannot be met: one line on stderr, and exit code 2."""

from __future__ import annotations

import argparse
import errno
import math
import os
import re
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from ..core.failure import spelled
from ..core.similar import similar

T = TypeVar("T")


class RefusedError(Exception):
    """Miscast could not do its work; the message is one line."""


def concluded(run: Callable[[], T]) -> T | int:
    """Return what a command returns; where it fails an exit code, and one line on stderr says why."""
    stopped: list[int] = []
    try:
        with _terminable(stopped):
            return run()
    except RefusedError as failure:
        print(f"miscast: {_line(failure)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("miscast: interrupted", file=sys.stderr)
        return 128 + (stopped or [signal.SIGINT])[0]
    except BrokenPipeError:
        _silence()
        return 2
    except Exception as error:  # noqa: BLE001 - a failure of Miscast's own, never exit code 1
        if os.environ.get("MISCAST_TRACEBACK") == "1":
            import traceback

            traceback.print_exc()
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            said = f"cannot write: {error.strerror}"
        else:
            said = f"failed: {spelled(error)}"
        print(f"miscast: {said}", file=sys.stderr)
        return 2


@contextmanager
def _terminable(stopped: list[int]) -> Iterator[None]:
    """Let SIGTERM end the block as Ctrl-C does, after which there is a report, and add it to `stopped`."""

    def stop(number: int, _frame: object) -> None:
        stopped.append(number)
        raise KeyboardInterrupt

    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _line(failure: RefusedError) -> str:
    """Return what it says on one line, whatever a name in it holds."""
    from ..report.wording import printable

    return printable(str(failure).replace("\n", " "))


def _silence() -> None:
    """Discard the interpreter's last flush, as nothing reads the output any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def near(word: str, known: Collection[str]) -> str:
    """Return a word that is spelled alike, as a question after a message; "" if there is none."""
    hint = similar(word, known, cutoff=0.7)
    return f" ({hint})" if hint else ""


def writable(output: str | None, what: str = "report") -> None:
    """Raise RefusedError if `output` is a path that cannot be written; None is stdout, which can."""
    if output is None:
        return
    folder = os.path.dirname(output) or "."
    if os.path.isdir(output) or not os.access(
        output if os.path.exists(output) else folder, os.W_OK
    ):
        raise RefusedError(f"cannot write the {what} to {output}")


def named(text: str) -> str:
    """Return an argument's type: the name of something; empty is a variable of a shell that is not set."""
    if not text:
        raise argparse.ArgumentTypeError("the value is empty")
    return text


def existing(text: str) -> str:
    """Return an argument's type: the path of a file or folder."""
    if not os.path.exists(named(text)):
        raise argparse.ArgumentTypeError(f"{text[:80]}: no such file or folder")
    return text


def words(text: str) -> list[str]:
    """Return an argument's type: one or more words, quoted as in a shell."""
    try:
        return shlex.split(named(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text[:40]!r}: {error}") from error


def preserved(options: argparse.Namespace, files: Iterable[str] = ()) -> None:
    """Raise RefusedError if a file that the command writes is one that it reads: the options' own, or of `files`."""
    inputs = [getattr(options, name, None) for name in ("target", "file", "baseline")]
    read = {*map(os.path.realpath, filter(None, (*inputs, *files)))}
    for name in ("output", "html", "write_baseline", "flight"):
        file = getattr(options, name, None)
        if file and os.path.realpath(file) in read:
            raise RefusedError(
                f"--{name.replace('_', '-')} {file}: this file is read, and would be overwritten"
            )


def _number(what: str, least: int, most: int) -> Callable[[str], int]:
    """Return an argument's type: a whole number in decimal digits, from one number to another."""

    def read(text: str) -> int:
        decimal = text.isascii() and text.isdigit() and len(text) <= len(str(most))
        if not (decimal and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"expected a {what}, got {text[:40]!r}")
        return int(text)

    return read


batches = _number("number of batches (1 or more)", 1, 10**9)
positive = _number("whole number from 1 to 1,000,000", 1, 10**6)
ranks = _number(f"number of ranks (1 to {1 << 14})", 1, 1 << 14)
whole = _number("whole number (0 or more)", 0, 10**9 - 1)


def size(text: str) -> int:
    """Return an argument's type: bytes, as `512M` or `4G`."""
    found = re.fullmatch(
        r"(\d{1,9}(?:\.\d{1,3})?)([KMGT])i?B?", text.strip(), re.IGNORECASE
    )
    if found is None or not float(found[1]):
        raise argparse.ArgumentTypeError(
            f"expected a size such as 512M or 4G, got {text[:40]!r}"
        )
    return int(float(found[1]) * (1 << 10 * ("KMGT".index(found[2].upper()) + 1)))


def _amount(what: str, *, zero: bool = False) -> Callable[[str], float]:
    """Return an argument's type: a finite number above 0, or 0 as well."""
    least = "(0 or more)" if zero else "above 0"

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (0 < value <= 10**9 or (zero and value == 0)):
            raise argparse.ArgumentTypeError(
                f"expected a {what} {least}, got {text[:40]!r}"
            )
        return value

    return read


seconds = _amount("number of seconds")
seconds_or_none = _amount("number of seconds", zero=True)
times = _amount("number", zero=True)


def folder(text: str) -> str:
    """Return an argument's type: a folder that is empty, or can be made; it is made."""
    try:
        os.makedirs(text, exist_ok=True)
        if os.listdir(text):
            raise argparse.ArgumentTypeError(f"{text} is not empty")
    except OSError as error:
        raise argparse.ArgumentTypeError(
            f"cannot use the folder {text}: {error.strerror}"
        ) from error
    return text
