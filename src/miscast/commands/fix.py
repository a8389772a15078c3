"""Fix the findings of check, as a diff: each change is tested on the virtual machine.

  fixed  linear mixes float32 `input` with float16 `weight`  train.py:127
         pass dtype=self.dtype to `torch.ones` at train.py:81
         safe: a constant that every dtype holds · verified, after 6 trials

  --- a/train.py
  +++ b/train.py
  @@ -81 +81 @@
  -        return torch.ones(1, self.size, self.size)
  +        return torch.ones(1, self.size, self.size, dtype=self.dtype)

The program is executed many times: only use it on code that you trust. Each fix is printed on stderr once it is
verified; Ctrl-C ends the search and shows the fixes verified so far. No file is written without --apply or
--interactive.

Exit code: 0 if there is nothing to fix or every fix is written, 1 if a diff is shown or findings remain, 2 on failure.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from .accounting import add_strict, settle
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
from .reaching import add_reach, reachable
from .refusal import RefusedError, seconds, writable
from .telling import add_format, known_format, tell

if TYPE_CHECKING:
    from ..core.finding import Finding
    from ..fixing.fixes import Fixed, Mending
    from ..report import Report

USAGE = "miscast fix [OPTIONS] TARGET [ARGS…]"


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: what to fix, on which machine, and what to do with the fixes."""
    # fmt: off
    parser.add_argument("--apply", action="store_true", help="write the fixes to the files")
    parser.add_argument("--interactive", action="store_true", help="ask before writing each fix")
    add_machine(parser)
    add_reach(parser)
    add_numerics(parser)
    add_strict(parser, "also fix mismatches that autocast hides")
    add_format(parser, "write the diff to FILE instead of stdout")
    parser.add_argument("--time-limit", type=seconds, metavar="S",
        help="stop after S seconds and show the fixes verified so far")
    add_target(parser)
    # fmt: on


def run(options: argparse.Namespace) -> int:
    """Return 0 if there is nothing to fix, or all is fixed and written; 1 if a diff is shown or findings are left."""
    from ..running.launching.entry import CannotRunError
    from ..running.process.standard_input import kept

    known_format(options)
    required(options, "fix")
    settle(options)
    refuse_unreadable(options)
    if options.interactive and not sys.stdin.isatty():
        raise RefusedError(
            "--interactive needs a terminal on stdin; --apply writes without asking"
        )
    try:
        on = machine(options).spec
        writable(options.output, "diff")
        startable(target(options), options.args)
        kept()
        mending = _mending(options, on)
        written = _written(options, mending)
        told = tell(
            _reported(mending, written=written), options, sys.stdout, what="diff"
        )
    except (CannotRunError, ValueError) as error:
        raise RefusedError(error) from error
    vouched(told)
    mended = written and not mending.after.findings
    return int(bool(mending.before.findings) and not mended)


def _reported(mending: Mending, *, written: bool) -> Report:
    from ..fixing.fixes.telling import reported  # LibCST is there by now

    return reported(mending, written=written)


def _mending(options: argparse.Namespace, on: str) -> Mending:
    from ..core.progress import Ticking
    from ..fixing.fixes import Job, Listener, mend
    from ..report.wording import place

    job = Job(
        **alike(options, Job),
        target=target(options),
        machine=on,
        reach=reachable(options),
    )
    with Ticking(sys.stderr) as progress:

        def ask(fixed: Fixed, diff: str) -> bool:
            progress.clear()
            return _wanted(fixed, diff)

        told: set[Finding] = set()

        def settled(finding: Finding, title: str) -> None:
            progress.clear()
            # what was told before it has failed under another switch
            instead = "instead: " if finding in told else ""
            told.add(finding)
            sys.stderr.write(f"miscast: {place(finding.location)}  {instead}{title}\n")

        to = Listener(
            say=progress.say,
            tick=progress.tick,
            settled=settled,
            ask=ask if options.interactive else None,
        )
        return mend(job, to, time_limit=options.time_limit)


def _wanted(fixed: Fixed, diff: str) -> bool:
    from ..fixing.fixes.telling import coloured, told
    from ..report.text import page_on

    page = page_on(sys.stderr, "fix")
    page.put((*told(fixed, page.width), *coloured(diff)))
    while True:
        print("write this fix? [y/n] ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline().strip().lower()
        if answer in ("y", "yes", "n", "no", ""):
            return answer in ("y", "yes")


def _written(options: argparse.Namespace, mending: Mending) -> bool:
    from ..fixing.fixes.writing import ChangedError, write

    if not mending.files or not (options.apply or options.interactive):
        return False
    try:
        write(mending.files)
    except ChangedError as error:
        raise RefusedError(error) from error
    except OSError as error:
        raise RefusedError(
            f"cannot write {error.filename}: {error.strerror}"
        ) from error
    return True
