"""A process that makes calls, one of a `WorkerPool`: a job per op, a message per stage and per trial.

<- {"op": "addmm", "count": 3, "seed": 7}
-> {"at": "torch", "call": "addmm in float16, operand 1 as float32, sample 2"}   … "check", "alone", "fake"
-> {"trial": {…}}
-> {"done": "addmm"}
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
import warnings
from collections.abc import Iterator
from typing import Any

import torch

from miscast.running.workers.forks import silence
from miscast.running.workers.lines import send

from .calls import Operator
from .families import family
from .outcome import Trial
from .trial import alone, checked, faked, real


def main(answers: int) -> None:
    """Answer until stdin ends. What the calls themselves print goes nowhere."""
    silence(1, 2)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    send(answers, {"ready": torch.__version__})
    at: dict[str, Any] = {}
    try:
        for line in sys.stdin:
            asked = json.loads(line)
            for message in answer(Operator(asked["op"], asked["seed"]), asked["count"]):
                at = message if "at" in message else at
                send(answers, message)
            send(answers, {"done": asked["op"]})
    except Exception:  # noqa: BLE001 - a fault of the benchmark, not of a call
        why = f"the benchmark failed, not the call: {at.get('call')}, {at.get('at')}"
        send(answers, {"error": f"{why}\n{traceback.format_exc()}"})


def answer(operator: Operator, count: int | None) -> Iterator[dict[str, Any]]:
    """Make `count` random calls of an op, or all; each stage is told at once: the next call may be the last."""
    of = family(operator.info)
    for call in operator.all() if count is None else operator.drawn(count):
        outcomes = []
        for stage, run in (("torch", real), ("check", checked), ("alone", alone), ("fake", faked)):
            yield {"at": stage, "call": str(call)}
            torch.manual_seed(0)
            outcomes.append(run(operator.prepared(call), call))
        made: Any = dict(zip(("real", "checked", "alone", "faked"), outcomes, strict=True))
        yield {"trial": Trial(op=operator.name, family=of, call=str(call), **made).data()}
