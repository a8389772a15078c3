"""Run a program for real and explain the precision error that crashes it.

  RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half

  dtype-mismatch  linear mixes float32 `mat1` with float16 `mat2`
    train.py:8  in forward
    mat1    float32 on cpu  activation  [3, 4]  x
            created by torch.ones at train.py:11
    mat2    float16 on cpu  weight      [8, 4]  net.inner.0.weight
            cast by nn.Module.half at train.py:9

Output, traceback and exit code are the program's own; the explanation follows the traceback on stderr.

--shadow repeats each op in float64 and reports where the program silently loses precision: overflow, underflow,
absorbed or rounded values, by line and op. With --against, the program is compared with itself in another precision
instead, with the same seeds and batches: the report shows where the two diverge, and by how much (docs/shadow.md).

--guard inspects each optimizer step before it is applied. The first NaN stops the program (see --on-trip), and is
reported with the op and the line that produced it (docs/guard.md). The steps are recorded in a file for
'miscast flight'.

Exit code: the program's; 2 if there is nothing to run.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

from .program import add_target, required, target
from .refusal import RefusedError, named, writable
from .shadowed import add_shadow, belongs, shadowed
from .telling import add_format, known_format

USAGE = "miscast run [OPTIONS] TARGET [ARGS…]"


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: what to run, and where to write the explanation."""
    add_format(parser, "write the explanation to FILE instead of stderr")
    add_shadow(parser)
    # fmt: off
    parser.add_argument("--guard", action="store_true", help="stop at the first NaN and record the training steps")
    parser.add_argument("--on-trip", choices=("raise", "skip", "report"),
        help="on NaN: stop the program (raise, the default), skip the step, or only report it")
    parser.add_argument("--flight", type=named, metavar="FILE",
        help="record the steps in FILE (default: a new flight.jsonl)")
    # fmt: on
    add_target(parser)


def run(options: argparse.Namespace) -> Callable[[], int]:
    """Return the program, ready to run; its exit code is its own."""
    from ..live import import_hook, launch
    from ..live.telling import teller

    required(options, "run")
    known_format(options)
    if not options.guard and (options.on_trip or options.flight):
        name = "--on-trip" if options.on_trip else "--flight"
        raise RefusedError(f"{name} needs --guard")
    belongs(options)
    if options.guard and options.shadow:
        raise RefusedError(
            "--guard and --shadow cannot be used together: the guard would see the shadow's ops"
        )
    writable(options.output, "explanation")
    command = [*["-m"] * options.module, options.target, *options.args]
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
    """Return what guards the program, if it is to be."""
    from ..live import import_hook

    if not options.guard:
        return None
    flight = options.flight or "flight.jsonl"
    writable(flight, "steps")
    return import_hook.guarding(os.path.abspath(flight), options.on_trip or "raise")
