"""A process that makes calls: an op per line on stdin, one JSON line per stage and per trial on stdout.

<- {"op": "addmm", "count": 3, "seed": 7}
-> {"stage": "torch", "call": "addmm in float16, operand 1 as float32, sample 2"}   … "check", "alone", "fake"
-> {"trial": {…}}
-> {"done": "addmm"}
"""

from __future__ import annotations

import json
import logging
import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any, TextIO

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import torch

from .calls import Operator
from .families import family
from .outcome import FAULT, Trial
from .trial import alone, checked, faked, real


def main() -> None:
    """Answer until stdin ends. What the calls themselves print goes nowhere."""
    out, errors = os.fdopen(os.dup(1), "w"), os.fdopen(os.dup(2), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    try:
        for line in sys.stdin:
            asked = json.loads(line)
            answer(Operator(asked["op"], asked["seed"]), asked["count"], out)
            say(out, done=asked["op"])
    except Exception:  # noqa: BLE001 - a fault of the benchmark, not of a call
        traceback.print_exc(file=errors)
        sys.exit(FAULT)


def answer(operator: Operator, count: int | None, out: TextIO) -> None:
    """Make `count` random calls of an op, or all."""
    of = family(operator.info)
    for call in operator.all() if count is None else operator.drawn(count):
        outcomes = []
        for stage, run in (("torch", real), ("check", checked), ("alone", alone), ("fake", faked)):
            say(out, stage=stage, call=str(call))
            torch.manual_seed(0)
            outcomes.append(run(operator.prepared(call), call))
        made: Any = dict(zip(("real", "checked", "alone", "faked"), outcomes, strict=True))
        say(out, trial=Trial(op=operator.name, family=of, call=str(call), **made).data())


def say(out: TextIO, **line: Any) -> None:
    """One line, at once: the next call may be the last."""
    out.write(json.dumps(line) + "\n")
    out.flush()


if __name__ == "__main__":
    main()
