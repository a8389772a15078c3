"""Run a program for real, and explain the precision error that it dies of.

  RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half

  dtype-mismatch  linear mixes float32 `mat1` with float16 `mat2`
    train.py:8  in forward
    mat1    float32 on cpu  activation  [3, 4]  x
            born by torch.ones at train.py:11
    mat2    float16 on cpu  weight      [8, 4]  net.inner.0.weight
            cast by nn.Module.half at train.py:9

Output, traceback and exit code are the program's own; the explanation follows the traceback on stderr.
Exit code: the program's; 2 if there is nothing to run.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

from .program import add_target, required, target
from .refusal import RefusedError, writable
from .telling import add_format, known_format

USAGE = "miscast run [OPTIONS] TARGET [ARGS…]"


def add(parser: argparse.ArgumentParser) -> None:
    """What to run, and where the explanation goes."""
    add_format(parser)
    parser.add_argument(
        "--output",
        metavar="FILE",
        help="write the explanation, if there is one, there: not to stderr",
    )
    add_target(parser)


def run(options: argparse.Namespace) -> Callable[[], int]:
    """The program, ready to run; its exit code is its own."""
    from ..live import import_hook, launch
    from ..live.telling import teller

    required(options, "run")
    known_format(options)
    writable(options.output, "explanation")
    command = [*(["-m"] if options.module else []), options.target, *options.args]
    # the program may go to another folder
    output = os.path.abspath(options.output) if options.output else None
    try:
        program = launch.prepared(
            target(options), options.args, teller(options.format, output, command)
        )
    except launch.CannotRunError as error:
        raise RefusedError(error) from error
    import_hook.record()
    return program
