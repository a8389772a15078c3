r"""Check a program under every combination of machines, arguments, environments and settings.

  $ miscast matrix --machine v100,a100 --vary '--precision={no,fp16,bf16}' \
      train.py --steps 2
  matrix  train.py: 6 cells
    --precision  v100       a100
    no           ✓ 5.1 GiB  ✓ 5.1 GiB
    fp16         1          1
    bf16         ✗ 2        ✓ 3.2 GiB

Axes are written with --vary, which can be given several times, or stand in miscast.toml, which is read where no TARGET
is named. A finding is told once, with the cells that show it. Results are kept: what has not changed is not run again.
The program is executed, once in each cell: check what you trust. --help of 'check' says what becomes of its effects.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .accounting import project
from .numbers import add_numerics, refuse_unreadable
from .program import add_target, alike, startable, target
from .reaching import reachable
from .refusal import RefusedError, batches, positive, seconds, times, writable
from .telling import add_format, known_format, tell

if TYPE_CHECKING:
    from ..matrix.run import LeftOut, Options, Running
    from ..matrix.specification import Specification
    from ..matrix.store import Store

USAGE = "miscast matrix [OPTIONS] [TARGET [ARGS…]]"
_FILE = "miscast.toml"


def add(parser: argparse.ArgumentParser) -> None:
    """The axes, what holds for all cells, and how they are run."""
    # fmt: off
    parser.add_argument("--machine", metavar="M,M", help="the machines: v100,4xa100,m2")
    parser.add_argument("--ranks", metavar="N,N", help="as how many ranks: 0,8 (0: as it is)")
    parser.add_argument("--vary", action="append", default=[], metavar="X={A,B}",
        help="an option, a flag ({on,off}), VARIABLE, FILE:key, or {words,words}")
    parser.add_argument("--file", metavar="FILE", help=f"where the matrix is written ({_FILE})")
    parser.add_argument("--batches", type=batches, default=2, metavar="N", help="cut loaders over 2 N batches to N (2)")
    parser.add_argument("--strict", action="store_true", help="also report mismatches that autocast hides")
    parser.add_argument("--reach", type=times, default=0.0, metavar="X", help="as of check (0: off)")
    parser.add_argument("--edit", action="append", default=[], metavar="PATH", help="take a package's code for yours")
    parser.add_argument("--cell-limit", type=seconds, default=600.0, metavar="S", help="seconds for one cell (600)")
    parser.add_argument("--backend", choices=("loky", "ray", "dask"), default="loky", help="who runs the cells (loky)")
    parser.add_argument("--jobs", type=positive, default=0, metavar="N", help="cells side by side (one for each core)")
    parser.add_argument("--results", metavar="DIR", help="where results are kept (the user's cache)")
    parser.add_argument("--fresh", action="store_true", help="run all cells, whatever is known")
    parser.add_argument("--resume", action="store_true", help="go on with the matrix that was last begun here")
    parser.add_argument("--since", metavar="REV", help="only cells that read what has changed since a git revision")
    # fmt: on
    add_numerics(parser)
    add_format(parser)
    parser.add_argument(
        "--output", metavar="FILE", help="write the report there instead of to stdout"
    )
    add_target(parser, "as of check; without it, the file says it")


def run(options: argparse.Namespace) -> int:
    """0 every cell as expected, 1 others; RefusedError, after the report, where a cell was not seen to its end."""
    from ..matrix.backend import NoBackendError
    from ..matrix.run import Running
    from ..matrix.store import Store, folder
    from ..report.outlet import outlet

    store = Store(options.results or folder())
    if options.resume:
        options = _resumed(options, store)
    known_format(options)
    writable(options.output)
    refuse_unreadable(options)
    try:
        spec = _specified(options)
        startable(spec.target, spec.args)
        running = Running(spec, _options(options), store)
        store.begun(os.getcwd(), _plain(options))
        # a cluster's library prints what it likes
        with outlet(alone=options.format != "text" and not options.output) as stream:
            report = running.report(_ran(running, options))
            tell(report, options, stream)
    except (ValueError, NoBackendError) as error:
        raise RefusedError(error) from error
    if running.interrupted:
        raise RefusedError("interrupted")
    if report.ended is not None and not report.findings:
        raise RefusedError(report.ended)
    return int(running.surprised)


def _specified(options: argparse.Namespace) -> Specification:
    """The matrix of the command line, or of the file; what both name, the command line says."""
    from .. import machines
    from ..matrix.specification import Specification, read
    from ..matrix.varied import machines_axis, ranks_axis, vary

    file = options.file or (None if options.target else _FILE)
    try:
        spec = Specification() if file is None else read(file)
    except OSError as error:
        if options.file is None:
            raise RefusedError(
                f"matrix of what? name a program, or write {_FILE}; see 'miscast matrix --help'"
            ) from error
        raise RefusedError(f"cannot read {file}: {error.strerror}") from error
    said = []
    if options.machine:
        said.append(machines_axis(options.machine.split(",")))
    if options.ranks:
        said.append(ranks_axis([_count(text) for text in options.ranks.split(",")]))
    said += [vary(text) for text in options.vary]
    names = [axis.name for axis in said]
    axes = (*said, *(axis for axis in spec.axes if axis.name not in names))
    if options.target:
        spec = replace(spec, target=target(options), args=tuple(options.args))
    if not spec.target:
        raise RefusedError(f'{file} does not say what to run: run = "train.py"')
    if not any(axis.name == "machine" for axis in axes):
        usual = machines.chosen(None, project(options).machine, spec.target)
        axes = (machines_axis([usual.spec]), *axes)
    return replace(spec, axes=axes)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) > 10**4:
        raise RefusedError(f"--ranks {text[:40]!r}: whole numbers, 0 for one process")
    return int(text)


def _options(options: argparse.Namespace) -> Options:
    from ..matrix.run import Options

    options.assume, options.edit = tuple(options.assume), tuple(options.edit)
    same = alike(options, Options)
    return Options(**same, reach=reachable(options), limit=options.cell_limit)


def _ran(running: Running, options: argparse.Namespace) -> list[str]:
    """What is to be noted of the run. An interrupt ends it, not the report."""
    from ..matrix.since import changed, unconcerned
    from ..progress import Progress

    left_out: LeftOut = lambda _cell, _read: False  # noqa: E731
    if options.since is not None:
        left_out = unconcerned(changed(options.since), running.spec.target)
    progress = Progress(sys.stderr)
    progress.watch(running.progress)
    try:
        with progress:
            running.run(left_out)
    except KeyboardInterrupt:
        running.interrupted = True
        left = len(running.cells) - len(running.outcomes)
        return [
            f"interrupted: {left} cells were not run; 'miscast matrix --resume' goes on"
        ]
    if running.left_out:
        return [
            f"{running.left_out} cells read nothing that has changed since {options.since}"
        ]
    return []


def _plain(options: argparse.Namespace) -> dict[str, Any]:
    left = {"run", "project"}
    return {name: value for name, value in vars(options).items() if name not in left}


def _resumed(options: argparse.Namespace, store: Store) -> argparse.Namespace:
    begun = store.last(os.getcwd())
    if options.target or options.vary or options.file:
        raise RefusedError(
            "--resume goes on with what was begun: without a TARGET, --vary or --file"
        )
    if begun is None:
        raise RefusedError("--resume: no matrix was begun in this folder")
    return argparse.Namespace(
        **{**begun, "fresh": False, "resume": False, "run": options.run}
    )
