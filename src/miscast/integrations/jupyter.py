"""`%load_ext miscast`: a cell, or a line of one, on a virtual machine, its report shown below it.

    %%miscast check --machine a100        checks the cell, which does not run
    %miscast check --machine v100 step(model, batch)
    %miscast explain                      what the last exception means
    %miscast lint configs/ --machine v100

A cell sees the notebook's names as they are: the check happens in a fork of the kernel, so that all that the cell does
to them is gone with it. Tensors there are taken for their dtype, shape and device (and the values of small ones).
Lines are those of the cell, the magic's own the first: "In [3], line 5".
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import inspect
import linecache
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import fields, is_dataclass, replace
from functools import partial
from operator import is_
from typing import TYPE_CHECKING, Any, NoReturn

from ..core import machines
from ..core.event import Trace
from ..core.meeting import MultiRankTrace
from ..report import Report
from ..report.judged import judged
from ..running.launching import notebook
from ..vm.provenance.on_behalf import theirs

if TYPE_CHECKING:
    from ..vm.collectives.channel import Channel

_PRINTED = 1 << 18  # characters of what a cell prints that are shown
_UNSEEN = "the check of the cell ended without a report"


class _UsageError(ValueError):
    """A line that no command takes; the message is one line."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _UsageError(f"{message}; see '%miscast {self.prog} --help'")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise SystemExit(message or status)


def load(shell: Any) -> None:
    """Bring the magic to an IPython shell."""
    shell.register_magic_function(
        partial(_magic, shell), magic_kind="line_cell", magic_name="miscast"
    )


def _magic(shell: Any, line: str, cell: str | None = None) -> Report | None:
    from IPython.core.error import UsageError

    try:
        command, _, rest = line.strip().partition(" ")
        known = {"check": _check, "explain": _explain, "lint": _lint}
        if command not in known:
            names = ", ".join(known)
            if not command:
                raise _UsageError(f"no command given: expected {names}")
            raise _UsageError(f"unknown command {command[:40]!r}: expected {names}")
        return known[command](shell, rest, cell)
    except SystemExit:  # --help was shown
        return None
    except (ValueError, OSError) as error:
        raise UsageError(f"%miscast: {error}") from None


def _check(shell: Any, line: str, cell: str | None) -> Report:
    options, rest = _options("check", line)
    if cell is None and not rest:
        raise _UsageError(
            "nothing to check: use %miscast check EXPRESSION, or %%miscast check"
        )
    if cell is not None and rest:
        raise _UsageError(f"{rest!r} is not an option of %%miscast check")
    # a cell's own line numbers: the magic is its first line
    text = f"# %%miscast check {line}\n{cell}" if cell is not None else rest
    name = f"In [{len(shell.history_manager.input_hist_parsed) - 1}]"
    made = notebook.cell(name, text)
    lines = text.splitlines(keepends=True)
    linecache.cache[name] = (len(text), None, lines, name)
    run = _program(made.source, name, shell.user_ns)
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as printed:
        found = _apart(run, options, printed)
        printed.seek(0)
        shown = printed.read(_PRINTED)
        more = " … and more\n" if printed.read(1) else ""
    sys.stdout.write(shown + more)
    why = options.choice.reason
    report = judged(found, strict=options.strict, reason=why)
    notes = (*report.notes, *notebook.left_out("cell", made.left_out))
    told: Report = _renamed(replace(report, notes=notes), _cells(shell))
    return told


def _options(command: str, line: str) -> tuple[argparse.Namespace, str]:
    """Return the options at the beginning of a line, and the unchanged Python after them."""
    from ..api import chosen_machine

    parser = _Parser(
        prog=command, allow_abbrev=False, description="check on a virtual machine"
    )
    # fmt: off
    parser.add_argument("--machine", help="v100, 4xa100, cpu, …")
    parser.add_argument("--batches", type=int, default=2, help="limit long data loaders to this many batches")
    parser.add_argument("--strict", action="store_true", help="also report mismatches that autocast hides")
    parser.add_argument("--numerics", action="store_true", help="track value ranges")
    parser.add_argument("--assume", action="append", default=[], help="NAME=LOW:HIGH")
    # fmt: on
    words: list[str] = []
    rest = line.strip()
    while rest.startswith("-"):
        word, _, rest = rest.partition(" ")
        words.append(word)
        rest = rest.strip()
        if word in ("--machine", "--batches", "--assume"):
            value, _, rest = rest.partition(" ")
            words += [value] * bool(value)
            rest = rest.strip()
    options = parser.parse_args(words)
    options.choice = chosen_machine(options.machine, option="--machine")
    if options.batches < 1:
        raise _UsageError(f"--batches {options.batches}: expected 1 or more")
    return options, rest


def _program(source: str, name: str, namespace: dict[str, Any]) -> Callable[[], None]:
    """Return what runs it. Raises ValueError where it is no Python."""
    try:
        code = compile(
            source, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True
        )
    except SyntaxError as error:
        raise _UsageError(f"{name}, line {error.lineno}: {error.msg}") from None

    def run() -> None:
        given = theirs(eval, code, namespace)
        if inspect.iscoroutine(given):
            # the kernel's loop is this thread's, and does not go on in a fork
            asyncio._set_running_loop(None)
            theirs(asyncio.new_event_loop().run_until_complete, given)

    return run


def _apart(
    run: Callable[[], None], options: argparse.Namespace, printed: Any
) -> MultiRankTrace:
    """Return what a fork sees that runs it on the machine."""
    import torch

    from ..box.python import python_box
    from ..running.distributed.launch import launched
    from ..running.program.following import follow
    from ..running.program.run import run_callable
    from ..vm.streamed import telling

    machine = machines.virtual(options.choice.spec)

    def begin(channel: Channel, vm: Any) -> None:
        vm.recorder.heard = telling(channel.send, lambda: vm.recorder.ops)
        vm.recorder.begun()
        if options.numerics:
            follow(vm, assume=options.assume)

    def alone(_rank: int, channel: Channel) -> Trace:
        # a fork has none of the threads that OpenMP keeps for its parent, and would wait for them
        torch.set_num_threads(1)
        with redirect_stdout(printed), redirect_stderr(printed), python_box() as box:
            trace, _ = run_callable(
                run, (), {}, machine, batches=options.batches, box=box,
                watch=partial(begin, channel),
            )  # fmt: skip
        printed.flush()
        return trace

    unseen = Trace(machine=machine.spec, torch=str(torch.__version__), ended=_UNSEEN)
    return launched(1, alone, unseen)


def _explain(shell: Any, line: str, cell: str | None) -> Report:
    from ..api import explain

    if cell or line.strip():
        return explain(cell or line)
    last = getattr(sys, "last_value", None)
    if last is None:
        raise _UsageError("nothing to explain: no exception was raised yet")
    told: Report = _renamed(explain(last), _cells(shell))
    return told


def _lint(_shell: Any, line: str, _cell: str | None) -> Report:
    from ..lint import lint

    parser = _Parser(prog="lint", allow_abbrev=False)
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--machine")
    options = parser.parse_args(shlex.split(line))
    return lint(options.paths, options.machine).report


def _cells(shell: Any) -> dict[str, str]:
    """Return the names of cells ("In [2]") by the file name under which IPython compiled them."""
    known = getattr(shell.compile, "_filename_map", {})  # no public name says it
    return {file: f"In [{number}]" for file, number in known.items()}


def _renamed(one: Any, names: dict[str, str]) -> Any:
    """Return the object with the names of cells in place of those of files, wherever there are any."""
    if is_dataclass(one) and not isinstance(one, type):
        changed = {
            field.name: after
            for field in fields(one)
            if (after := _renamed(before := getattr(one, field.name), names))
            is not before
        }
        return replace(one, **changed) if changed else one
    if isinstance(one, tuple):
        after = tuple(_renamed(part, names) for part in one)
        return one if all(map(is_, after, one)) else after
    return _worded(one, names) if isinstance(one, str) else one


def _worded(text: str, names: dict[str, str]) -> str:
    """Return a file's name, or a text that has one: of a cell, "3451910850.py:2" says nothing to anybody."""
    if text.startswith(os.sep):
        return names.get(text, text)
    for file, cell in names.items():
        name = os.path.basename(file)
        if name in text:
            text = re.sub(rf"\b(miscast check .*){re.escape(name)}", r"%%\1", text)
            text = text.replace(name, cell)
    return text
