"""Run a program on a virtual machine and report its dtype and device mistakes.

  error[operand-dtype-mismatch]  linear mixes float32 `input` with float16
  `weight`
    train.py:112  unet.time_embedding.linear_1  emb = unet.time_embedding(t_emb)
    input   float32  created at train.py:109    t_emb = embedding(t, 320)
    weight  float16  cast at train.py:41        unet = unet.half()

No GPU is needed and no weights are read, but the program is executed: only check code that you trust. Writes, deletions
and network access are sandboxed, and the report lists them. If there are findings, the program is run again, for about
as long, to test possible fixes: fixes marked as verified have been tested this way.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from .accounting import (
    accounted,
    accounting,
    add_baseline,
    add_rules,
    add_strict,
    judged_by_check,
    settle,
)
from .numbers import add_numerics, refuse_unreadable
from .program import (
    add_machine,
    add_target,
    alike,
    machine,
    required,
    startable,
    target,
    vouched,
)
from .reaching import add_reach, left_alone, reachable
from .refusal import RefusedError, folder, seconds, seconds_or_none, words, writable
from .telling import Live, add_format, known_format, tell

if TYPE_CHECKING:
    from ..box.job import Job
    from ..box.view import View
    from ..fixing.trials.warm import Warm
    from ..report import Report
    from ..suppression.accounting import Accounting

_LISTED = 8
USAGE = "miscast check [OPTIONS] TARGET [ARGS…]"
SHOWN = (
    "--machine", "--strict", "--numerics", "--watch", "--fix", "--diff", "--format", "--output", "--verbose",
)  # fmt: skip
"""The options that are used most."""
_OF_CHECK_ALONE: dict[str, object] = {
    "also": [], "baseline": None, "exit_zero": False, "fixes": None, "ignore": None, "keep": None, "network": False,
    "offline": False, "precision": False, "select": None, "statistics": False, "tree": False, "write_baseline": None,
    "writes": "box",
}  # fmt: skip
"""Options that `fix` has not, with their defaults."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: what to check, on which machine, and how to report."""
    # fmt: off
    add_machine(parser)
    add_strict(parser, "also report mismatches that autocast hides")
    edits = parser.add_mutually_exclusive_group()
    edits.add_argument("--fix", action="store_true",
        help="write verified fixes to the files, like 'miscast fix --apply'")
    edits.add_argument("--diff", action="store_true", help="print verified fixes as a diff, like 'miscast fix'")
    parser.add_argument("--watch", action="store_true",
        help="check again whenever a file that the program reads changes")
    add_format(parser, "write the report to FILE, incrementally")
    add_baseline(parser)
    add_rules(parser)
    parser.add_argument("--time-limit", type=seconds, metavar="S", help="stop the program after S seconds and report")
    parser.add_argument("--fixes", type=seconds_or_none, metavar="S",
        help="test possible fixes for at most S seconds (0: none)")
    add_reach(parser)
    parser.add_argument("--also", action="append", default=[], type=words, metavar="ARGS",
        help="also run the program with these arguments added: --also '--dtype fp16'")
    add_numerics(parser)
    parser.add_argument("--precision", action="store_true", help="add the full table of effective precision")
    parser.add_argument("--tree", action="store_true",
        help="add the tree of modules with their dtypes and devices")
    parser.add_argument("--verbose", action="store_true", help="full text report")
    parser.add_argument("--traceback", action="store_true",
        help="print the full traceback of the error that ended the program")
    parser.add_argument("--quiet-program", action="store_true", help="hide the program's output")
    parser.add_argument("--keep", type=folder, metavar="DIR", help="keep the files that the program writes in DIR")
    parser.add_argument("--writes", choices=("box", "real"), default="box",
        help="real: let the program write to the disk (default: box)")
    parser.add_argument("--network", action="store_true", help="let the program use the network")
    parser.add_argument("--offline", action="store_true", help="block all network access, model hubs included")
    add_target(parser, "script.py, -m module, module:function, torchrun …")
    # fmt: on


def run(options: argparse.Namespace) -> int:
    """Return 0, 1 for findings, 128 + N after signal N; RefusedError, after the report, where Miscast itself failed."""
    required(options, "check")
    if options.watch:
        from .watching import watched

        return watched(options, partial(_once, options))
    if options.fix or options.diff:
        return _fixed(options)
    return _once(options)


def _once(options: argparse.Namespace, warm: Warm | None = None) -> int:
    from ..box.view import View
    from ..report.outlet import outlet
    from ..running.launching.entry import CannotRunError
    from ..running.process.standard_input import kept

    settle(options)
    if options.network and options.offline:
        raise RefusedError("--network and --offline cannot be used together")
    refuse_unreadable(options)
    if options.also and (options.network or options.writes == "real"):
        raise RefusedError(
            "--also runs in the sandbox: it cannot be used with --network or --writes real"
        )
    reach = reachable(options)
    alone = options.format != "text" and not options.output
    try:
        told = machine(options)
        known_format(options)
        writable(options.output)
        by = accounting(options, partial(judged_by_check, options))
        startable(target(options), options.args)
        kept()
        with outlet(alone=alone) as stream:
            view = View(quiet=options.quiet_program or options.quiet, alone=alone)
            live = Live(options, stream, view.aside)
            job = _job(options, told.spec, reach)
            report = _report(job, options, by, view, warm, live)
            report = replace(report, machine_reason=told.reason)
            report = _viewed(_noted(report, options), options)
            files = [options.target] if not options.module else []
            report = accounted(report, by, partial(judged_by_check, options), files)
            report = tell(report, options, stream, live=live)
    except (CannotRunError, ValueError) as error:
        raise RefusedError(error) from error
    if options.traceback and report.traceback:
        sys.stderr.write(report.traceback)
    if view.stopped:
        return 128 + view.stopped  # as a shell says it
    vouched(report)
    found = any(one.severity != "hint" for one in report.findings)
    return int(found and not options.exit_zero)


def _fixed(options: argparse.Namespace) -> int:
    """Return what `fix` does, with `--apply` for `--fix`."""
    from . import fix

    for name, default in _OF_CHECK_ALONE.items():
        if getattr(options, name) != default:
            raise RefusedError(
                f"--{name.replace('_', '-')} cannot be used with --fix or --diff; see 'miscast fix --help'"
            )
    options.apply, options.interactive = options.fix, False
    return fix.run(options)


def _job(options: argparse.Namespace, told: str, reach: float) -> Job:
    from ..box.job import Job

    return Job(
        **alike(options, Job),
        target=target(options),
        machine=told,
        network="open" if options.network else "offline" if options.offline else "hub",
        watched=sys.stderr.isatty(),
        piped=not sys.stdout.isatty(),
        reach=reach,
        scenes=options.fixes != 0 and not (options.network or options.writes == "real"),
    )


def _report(  # noqa: PLR0913 - what to run, and who looks on
    job: Job,
    options: argparse.Namespace,
    by: Accounting,
    view: View,
    warm: Warm | None,
    live: Live,
) -> Report:
    from .. import api
    from ..box.start import apart
    from ..report import renderer

    if warm is None and not apart():
        return _here(job, options)

    def grown(report: Report) -> None:
        live.grown(accounted(report, replace(by, write=None), tuple))

    return api.check_boxed(
        job,
        view,
        strict=options.strict,
        partial=grown if live.wanted else None,
        meanwhile=lambda: live.writer if live.on_stream else renderer(options.format),
        fixes=options.fixes,
        warm=warm,
    )


def _viewed(report: Report, options: argparse.Namespace) -> Report:
    """Return the report with the requested views of its precision."""
    sections = report.sections
    if options.precision:
        from ..report.precision import ObservedPrecision

        sections = (*sections, ObservedPrecision(rows=report.precision))
    if options.tree:
        from ..report.module_tree import ModuleTree

        sections = (*sections, ModuleTree(stages=report.stages))
    return replace(report, sections=sections)


def _noted(report: Report, options: argparse.Namespace) -> Report:
    """Return the report with notes on choices and branches that no run tried."""
    from ..running.launching.options import options as offered
    from ..running.launching.untried import untried

    notes = report.notes
    runs = [options.args, *([*options.args, *also] for also in options.also)]
    left = untried(offered(options.target), runs)
    if left:
        rest = f" and {len(left) - _LISTED} more" if len(left) > _LISTED else ""
        listed = f"{', '.join(left[:_LISTED])}{rest}"
        notes = (*notes, f"options not tried: {listed} (try --also '{left[0]}')")
    if why := left_alone(options):
        notes = (*notes, f"skipped branches were not explored: {why}")
    return replace(report, notes=notes)


_SAME_HERE = ("machine", "batches", "ranks", "writes", "network", "numerics", "assume")  # fmt: skip


def _here(job: Job, options: argparse.Namespace) -> Report:
    """Check in this process, which has imported torch already, or cannot fork."""
    from .. import api
    from ..core.progress import Progress

    if job.time_limit is not None or job.keep is not None or options.quiet_program:
        raise RefusedError(
            "--time-limit, --keep and --quiet-program need a separate process, which this system cannot fork"
        )
    progress = Progress(sys.stderr)
    with ExitStack() as stack:

        def watch(where: api.Where) -> None:
            if job.ranks:
                # after the processes were forked: a thread must not run meanwhile
                stack.enter_context(progress)
            progress.watch(where)

        if not job.ranks:
            stack.enter_context(progress)
        return api.check_program(
            job.target,
            job.args,
            strict=options.strict,
            watch=watch,
            **{name: getattr(job, name) for name in _SAME_HERE},
        )
