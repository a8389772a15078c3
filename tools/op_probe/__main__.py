"""Measure how torch handles each op's dtypes on this device.

  PYTHONPATH=tools python -m op_probe --device cuda --output TABLE

  {"op": "aten.mm", "operands": ["self", "mat2"],
   "runs": {"h": "hh", "f": "ff", …}, "raises": {"expected m1 and …": …}}

Each op of torch's operator and module databases is called with its operands in every dtype, one at a time, in pairs and
all together; forward, backward and under autocast. An op that crashes or hangs its process is listed in the table's
first line, and the sweep continues. Requires the packages of torch's own tests: pip install expecttest numpy.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from miscast.commands.refusal import RefusedError, concluded, named, positive, writable
from miscast.core.progress import Progress

from .pool import WorkerError
from .sweep import Sweep


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 for a partial or whole table, 2 if nothing can be measured."""
    options = _parser().parse_args(arguments)
    return concluded(lambda: _measured(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="op_probe",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    # fmt: off
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda", "mps", "xpu"),
        help="device to call ops on (default: cpu)")
    parser.add_argument("--ops", metavar="OP,…",
        help="only these: linear,conv2d,…, as torch's operator database names them")
    parser.add_argument("--output", type=named, metavar="TABLE", required=True,
        help="write the table to this file: NAME.jsonl.gz")
    parser.add_argument("--seconds", type=positive, default=600, metavar="N",
        help="stop after N seconds (default: 600)")
    parser.add_argument("--workers", type=positive, metavar="N",
        help="number of processes (default: one per core, at most 12)")
    # fmt: on
    return parser


def _measured(options: argparse.Namespace) -> int:
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


if __name__ == "__main__":
    sys.exit(main())
