"""Serve editors: findings while you type, effective precision on hover, safe fixes as code actions.

  accelerate.yaml   mixed_precision: bf16
                    ~~~~~~~~~~~~~~~~~~~~~
                    accelerate says bf16, DeepSpeed's JSON enables fp16
                    help: set fp16.enabled to "auto", and let accelerate fill it

An editor starts this server and speaks the Language Server Protocol with it on stdin and stdout. The files in a
document's folder are read together, as in 'miscast lint', with their unsaved changes. Nothing is executed. With
--report, the findings of the last 'miscast check --format json --output FILE' are also shown at their lines.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys

from .refusal import RefusedError, named


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: for which machine to check, and the report of an earlier check."""
    # fmt: off
    parser.add_argument("--machine", type=named, metavar="M", help="also check against this hardware: v100, 4xa100, …")
    parser.add_argument("--report", metavar="FILE",
        help="also show the findings of this report of 'miscast check --format json'")
    parser.add_argument("--stdio", action="store_true", help="accepted for compatibility; stdio is the only transport")
    # fmt: on


def run(options: argparse.Namespace) -> int:
    """Serve until the editor ends it, and return 0."""
    from ..core import machines

    try:
        if options.machine:
            machines.find(options.machine)
    except ValueError as error:
        raise RefusedError(error) from error
    try:
        from ..integrations.language_server.server import server
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise RefusedError("lsp needs pygls: pip install 'miscast[lsp]'") from error
    if options.report and not os.path.isfile(options.report):
        print(f"miscast: no report {options.report} yet", file=sys.stderr)
    made = server(options.machine, options.report)
    # Python would wait for the thread that reads stdin
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        made.start_io()
    except MemoryError as error:
        raise RefusedError("a message of the editor is too large") from error
    return 0
