"""Draw what a guard has recorded of a training: loss, norms, loss scale, how far updates move the weights, and trips.

  flight.jsonl: 2,000 steps, 124,439,808 parameters, torch 2.13.0
  loss                     10.94 → nan (2.28 … 10.94)
    ▇▅▃▂▂▁▁▁▁!
  non-finite  step 1981: the loss is nan
    first: log in head  train.py:41  penalty = torch.log(q)

Files are written by miscast.guard(…, log=FILE) and by 'miscast run --guard', also while they are being written.
Exit code: 1 there was a trip, 0 there was none, 2 the file could not be read.
"""

from __future__ import annotations

import argparse
import sys

from .refusal import RefusedError, writable
from .telling import add_format, known_format, tell


def add(parser: argparse.ArgumentParser) -> None:
    """What to draw, and as what."""
    parser.add_argument("file", metavar="FILE", help="a recording, as flight.jsonl")
    add_format(parser)
    parser.add_argument(
        "--output", metavar="FILE", help="write it there instead of to stdout"
    )
    parser.add_argument(
        "--html", metavar="PAGE", help="write a page that needs nothing else"
    )


def run(options: argparse.Namespace) -> int:
    """1 if there was a trip."""
    from ..guarding import flight, flight_page
    from ..guarding.flight_report import reported

    known_format(options)
    writable(options.html, "page")
    writable(options.output)
    try:
        found = flight.read(options.file)
    except (OSError, flight.UnreadableFlightError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise RefusedError(
            f"cannot read {options.file}: {reason}" if reason else error
        ) from error
    if options.html:
        try:
            with open(options.html, "w", encoding="utf-8") as page:
                page.write(flight_page.page(found))
        except OSError as error:
            raise RefusedError(
                f"cannot write the page to {options.html}: {error.strerror}"
            ) from error
    else:
        tell(reported(found), options, sys.stdout)
    return int(any(one.kind != "recovery" for one in found.incidents))
