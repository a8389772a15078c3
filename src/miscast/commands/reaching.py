"""`--reach`: whether what a run leaves is run, too, and where that can be done."""

from __future__ import annotations

import argparse
import sys

from ..core.event import SAMPLES
from .refusal import RefusedError, times, whole

_USUAL = 2.0


def add_reach(parser: argparse.ArgumentParser) -> None:
    """Add the options for branches that a run did not execute, and their limits."""
    # fmt: off
    parser.add_argument("--reach", type=times, metavar="X",
        help="also explore skipped branches, up to X times the run's ops in total (default: 2; 0: off)")
    parser.add_argument("--samples", type=whole, default=SAMPLES, metavar="N",
        help=f"inspect N samples of each dataset for differing dtypes (default: {SAMPLES}; 0: none)")
    parser.add_argument("--steps", choices=("few", "all"), default="few",
        help="few: shorten training loops whose steps repeat (default: few)")
    # fmt: on


def reachable(options: argparse.Namespace) -> float:
    """Return how many times the run's ops may be run; 0 if that is impossible and was not requested.

    Raises RefusedError where somebody did: a report that is silent would say that the run left nothing.
    """
    why = _why_not(options)
    if options.reach is None:
        return 0.0 if why else _USUAL
    if options.reach and why:
        raise RefusedError(why)
    return float(options.reach)


def left_alone(options: argparse.Namespace) -> str:
    """Return why unexecuted branches are not run; "" if they are, or if `--reach` was given."""
    return _why_not(options) if options.reach is None else ""


def _why_not(options: argparse.Namespace) -> str:
    if sys.version_info < (3, 11):
        return "--reach needs Python 3.11 or newer"
    if getattr(options, "network", False) or getattr(options, "writes", "") == "real":
        return "--reach runs in the sandbox: it cannot be used with --network or --writes real"
    return ""
