"""Measure what torch does with each op's dtypes, on the device at hand.

  {"op": "aten.mm", "operands": ["self", "mat2"],
   "runs": {"h": "hh", "f": "ff", …}, "raises": {"expected m1 and …": …}}

Each op of torch's operator and module databases is called with its operands in every dtype, one by one, in pairs and
all at once; forward, backward and under autocast. An op that crashes or hangs its process is named in the table's
first line, and the sweep goes on. Needs what torch's own tests need: pip install expecttest numpy.
"""

from __future__ import annotations

import argparse
import sys

from .refusal import RefusedError, positive, writable

HIDDEN = True
"""For those who extend Miscast's tables."""


def add(parser: argparse.ArgumentParser) -> None:
    """What to measure, where, and for how long."""
    # fmt: off
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda", "mps", "xpu"),
        help="where to call ops (cpu)")
    parser.add_argument("--ops", metavar="OP,…",
        help="only these: linear,conv2d,…, as torch's operator database names them")
    parser.add_argument("--output", metavar="TABLE", required=True, help="write the table there: NAME.jsonl.gz")
    parser.add_argument("--seconds", type=positive, default=600, metavar="N",
        help="end after N seconds at the latest (600)")
    parser.add_argument("--workers", type=positive, metavar="N", help="processes (as many as cores, 12 at most)")
    # fmt: on


def run(options: argparse.Namespace) -> int:
    """0 measured, in part or whole."""
    import os
    from pathlib import Path

    from ..probe.sweep import Sweep
    from ..progress import Progress
    from ..workers.pool import WorkerError

    writable(options.output, "table")
    with Progress(sys.stderr) as progress:
        sweep = Sweep(
            device=options.device,
            output=Path(options.output),
            seconds=options.seconds,
            workers=options.workers or min(os.cpu_count() or 1, 12),
            ops=tuple(filter(None, (options.ops or "").split(","))),
            watch=progress.watch,
        )
        try:
            sweep.run()
        except (WorkerError, ValueError) as error:
            raise RefusedError(error) from error
        except OSError as error:
            raise RefusedError(
                f"cannot write the table to {options.output}: {error.strerror}"
            ) from error
        except KeyboardInterrupt:
            if not sweep.rows:
                raise
            raise RefusedError(
                f"interrupted; {options.output} holds what was measured: {sweep.summary()}"
            ) from None
    print(f"{options.output}: {sweep.summary()}")
    return 0
