"""Draw a training run that a guard has recorded: loss, norms, loss scale, relative size of updates, and alarms.

  flight.jsonl: 2,000 steps, 124,439,808 parameters, torch 2.13.0
  loss                     10.94 → nan (2.28 … 10.94)
    ▇▅▃▂▂▁▁▁▁!
  non-finite  step 1981: the loss is nan
    first: log in head  train.py:41  penalty = torch.log(q)

The file is written by miscast.guard(…, log=FILE) or 'miscast run --guard'. It can be read while the run continues.

Exit code: 0 if there was no alarm, 1 if there was one, 2 if the file cannot be read.
"""

from __future__ import annotations

import argparse
import sys

from .program import vouched
from .refusal import RefusedError, named, writable
from .telling import add_format, known_format, tell


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: what to draw, and in which format."""
    parser.add_argument(
        "file", type=named, metavar="FILE", help="a recording, such as flight.jsonl"
    )
    add_format(parser)
    # fmt: off
    parser.add_argument("--html", type=named, metavar="PAGE", help="same as --format html --output PAGE")
    # fmt: on


def run(options: argparse.Namespace) -> int:
    """Return 1 if there was an alarm."""
    from ..guarding import flight
    from ..guarding.flight_report import reported

    what = "report"
    if options.html:
        if options.output:
            raise RefusedError("--html and --output cannot be used together")
        options.format, options.output, what = "html", options.html, "page"
    known_format(options)
    writable(options.output, what)
    try:
        found = flight.read(options.file)
    except (OSError, flight.UnreadableFlightError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise RefusedError(
            f"cannot read {options.file}: {reason}" if reason else error
        ) from error
    vouched(tell(reported(found), options, sys.stdout, what=what))
    return int(any(one.kind != "recovery" for one in found.incidents))
