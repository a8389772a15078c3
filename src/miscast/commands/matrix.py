r"""Check a program under every combination of machines, arguments, environments and settings.

  $ miscast matrix --machine v100,a100 --vary '--precision={no,fp16,bf16}' \
      train.py --steps 2
  matrix  train.py: 6 combinations
    --precision  v100       a100
    no           ✓ 5.1 GiB  ✓ 5.1 GiB
    fp16         1          1
    bf16         ✗ 2        ✓ 3.2 GiB

Axes are given with --vary, which can be repeated, or in miscast.toml, which is read if no TARGET is given. Each finding
is reported once, with the combinations that show it. Results are cached: only what has changed is run again. The
program is executed once per combination, in a sandbox as with 'miscast check': only use it on code that you trust.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from .accounting import project
from .numbers import add_numerics, refuse_unreadable
from .program import add_target, alike, startable, target
from .reaching import reachable
from .refusal import (
    RefusedError,
    batches,
    existing,
    named,
    positive,
    seconds,
    times,
    writable,
)
from .telling import add_format, known_format, tell

if TYPE_CHECKING:
    from ..planning.matrix.cell import Axis
    from ..planning.matrix.run import LeftOut, Options, Running
    from ..planning.matrix.specification import Specification
    from ..planning.matrix.store import Store

USAGE = "miscast matrix [OPTIONS] [TARGET [ARGS…]]"
_FILE = "miscast.toml"


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: the axes, options for all combinations, and how to run them."""
    # fmt: off
    parser.add_argument("--machine", type=named, metavar="M,M", help="the machines: v100,4xa100,m2")
    parser.add_argument("--ranks", type=named, metavar="N,N", help="numbers of ranks: 0,8 (0: a single process)")
    parser.add_argument("--vary", action="append", default=[], metavar="X={A,B}",
        help="an option, a flag ({on,off}), VARIABLE, FILE:key, or {words,words}")
    parser.add_argument("--file", type=named, metavar="FILE", help=f"read the matrix from FILE (default: {_FILE})")
    parser.add_argument("--batches", type=batches, default=2, metavar="N",
        help="limit long data loaders to N batches (default: 2)")
    parser.add_argument("--strict", action="store_true", help="also report mismatches that autocast hides")
    parser.add_argument("--reach", type=times, default=0.0, metavar="X", help="as in 'miscast check' (default: 0, off)")
    parser.add_argument("--edit", type=existing, action="append", default=[], metavar="PATH",
        help="also report in this package")
    parser.add_argument("--cell-limit", type=seconds, default=600.0, metavar="S",
        help="seconds per combination (default: 600)")
    parser.add_argument("--backend", choices=("loky", "ray", "dask"), default="loky",
        help="backend that runs the combinations (default: loky)")
    parser.add_argument("--jobs", type=positive, default=0, metavar="N",
        help="combinations to run in parallel (default: one per core)")
    parser.add_argument("--results", type=named, metavar="DIR", help="folder for results (default: the user's cache)")
    parser.add_argument("--fresh", action="store_true", help="ignore stored results")
    parser.add_argument("--resume", action="store_true", help="continue the last matrix started in this folder")
    parser.add_argument("--since", type=named, metavar="REV",
        help="run only combinations that read a file changed since this git revision")
    # fmt: on
    add_numerics(parser)
    add_format(parser)
    add_target(parser, "as in 'miscast check' (default: from the matrix file)")


def run(options: argparse.Namespace) -> int:
    """Return 0 if all combinations go as expected, else 1; raise RefusedError after the report if any is unfinished."""
    from ..planning.matrix.backend import NoBackendError
    from ..planning.matrix.run import Running
    from ..planning.matrix.store import Store, folder
    from ..report.outlet import outlet

    if options.results and os.path.isfile(options.results):
        raise RefusedError(f"--results {options.results}: not a folder")
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
        raise KeyboardInterrupt
    if report.ended is not None and not report.findings:
        raise RefusedError(report.ended)
    return int(running.surprised)


def _specified(options: argparse.Namespace) -> Specification:
    """Return the matrix of the command line, or of the file; what both name, the command line says."""
    from ..core import machines
    from ..planning.matrix.varied import machines_axis, ranks_axis, vary

    file = options.file or (None if options.target else _FILE)
    spec = _of_file(file, named=options.file is not None)
    said = []
    if options.machine:
        said.append(machines_axis(options.machine.split(",")))
    if options.ranks:
        said.append(ranks_axis(list(map(_count, options.ranks.split(",")))))
    said += map(vary, options.vary)
    names = _distinct(said)
    axes = (*said, *(axis for axis in spec.axes if axis.name not in names))
    if options.target:
        spec = replace(spec, target=target(options), args=tuple(options.args))
    if not spec.target:
        raise RefusedError(f'{file} names no program: add run = "train.py"')
    if "machine" not in map(attrgetter("name"), axes):
        usual = machines.chosen(None, project(options).machine, spec.target)
        axes = (machines_axis([usual.spec]), *axes)
    return replace(spec, axes=axes)


def _distinct(axes: list[Axis]) -> list[str]:
    """Return the names of axes. Raises RefusedError if two have the same."""
    names = [axis.name for axis in axes]
    for name in names:
        if names.count(name) > 1:
            raise RefusedError(f"the axis {name} is given twice")
    return names


def _of_file(file: str | None, *, named: bool) -> Specification:
    from ..planning.matrix.specification import Specification, read

    try:
        return Specification() if file is None else read(file)
    except OSError as error:
        missing = f"no program given and no {_FILE} here; see 'miscast matrix --help'"
        unread = f"cannot read {file}: {error.strerror}"
        raise RefusedError(unread if named else missing) from error


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) > 10**4:
        raise RefusedError(
            f"--ranks {text[:40]!r}: expected whole numbers (0: one process)"
        )
    return int(text)


def _options(options: argparse.Namespace) -> Options:
    from ..planning.matrix.run import Options

    options.assume, options.edit = tuple(options.assume), tuple(options.edit)
    same = alike(options, Options)
    return Options(**same, reach=reachable(options), limit=options.cell_limit)


def _ran(running: Running, options: argparse.Namespace) -> list[str]:
    """Run the combinations, and return notes on the run. An interrupt ends it, not the report."""
    from ..core.progress import Progress
    from ..planning.matrix.since import changed, unconcerned
    from ..report.wording import plural

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
            f"interrupted: {plural(left, 'combination')} not run; continue with 'miscast matrix --resume'"
        ]
    if running.left_out:
        return [
            (
                f"{plural(running.left_out, 'combination')} skipped: "
                f"no file that was read has changed since {options.since}"
            )
        ]
    return []


def _plain(options: argparse.Namespace) -> dict[str, Any]:
    left = {"run", "project"}
    return {name: value for name, value in vars(options).items() if name not in left}


def _resumed(options: argparse.Namespace, store: Store) -> argparse.Namespace:
    begun = store.last(os.getcwd())
    if options.target or options.vary or options.file:
        raise RefusedError("--resume cannot be used with a TARGET, --vary or --file")
    if begun is None:
        raise RefusedError("--resume: no matrix was started in this folder")
    return argparse.Namespace(
        **{**begun, "fresh": False, "resume": False, "run": options.run}
    )
