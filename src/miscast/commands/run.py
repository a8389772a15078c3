"""Run a program for real, and explain the precision error that it dies of.

  RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half

  dtype-mismatch  linear mixes float32 `mat1` with float16 `mat2`
    train.py:8  in forward
    mat1    float32 on cpu  activation  [3, 4]  x
            born by torch.ones at train.py:11
    mat2    float16 on cpu  weight      [8, 4]  net.inner.0.weight
            cast by nn.Module.half at train.py:9

Output, traceback and exit code are the program's own; the explanation follows the traceback on stderr.
With --shadow each op runs once more in float64 beside the real one, and what the program loses in silence is told:
numbers that overflow, underflow, are absorbed or rounded, by line and op. With --against the other run is the program
in another precision instead, with the same seeds and batches: where the two part, and by how much (docs/shadow.md).
With --guard each update of an optimizer is looked at before it is made: the first NaN ends the program, unless
--on-trip says otherwise, and is told with the op and the line that made it (docs/guard.md). The steps are recorded
in a file for 'miscast flight'.
Exit code: the program's; 2 if there is nothing to run.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

from .program import add_target, required, target
from .refusal import RefusedError, writable
from .shadowed import add_shadow, belongs, shadowed
from .telling import add_format, known_format

USAGE = "miscast run [OPTIONS] TARGET [ARGS…]"


def add(parser: argparse.ArgumentParser) -> None:
    """What to run, and where the explanation goes."""
    add_format(parser)
    # fmt: off
    parser.add_argument("--output", metavar="FILE", help="write the explanation, if there is one, there: not to stderr")
    # fmt: on
    add_shadow(parser)
    # fmt: off
    parser.add_argument("--guard", action="store_true", help="watch the training for NaN, and record its steps")
    parser.add_argument("--on-trip", choices=("raise", "skip", "report"),
        help="what the guard does: end the program (raise), leave the step out, or only tell")
    parser.add_argument("--flight", metavar="FILE", help="where the guard records the steps (a new flight.jsonl)")
    # fmt: on
    add_target(parser)


def run(options: argparse.Namespace) -> Callable[[], int]:
    """The program, ready to run; its exit code is its own."""
    from ..live import import_hook, launch
    from ..live.telling import teller

    required(options, "run")
    known_format(options)
    if not options.guard and (options.on_trip or options.flight):
        name = "--on-trip" if options.on_trip else "--flight"
        raise RefusedError(f"{name} is the guard's: add --guard")
    belongs(options)
    if options.guard and options.shadow:
        raise RefusedError(
            "--guard and --shadow exclude each other: the shadow's ops are no training"
        )
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
    import_hook.record(_guard(options))
    return shadowed(options, program, output) if options.shadow else program


def _guard(options: argparse.Namespace) -> Callable[[], None] | None:
    """What guards the program, if it is to be."""
    from ..live import import_hook

    if not options.guard:
        return None
    flight = options.flight or "flight.jsonl"
    writable(flight, "steps")
    return import_hook.guarding(os.path.abspath(flight), options.on_trip or "raise")
