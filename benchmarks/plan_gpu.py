"""Compare forecasts of steps with those of a real GPU: `python benchmarks/plan_gpu.py`, on any machine.

`gpu/measure.py` ran the programs of `gpu/programs.py` on a GPU; the seconds of their steps are beside it. Here each
runs on a virtual machine with that GPU, and its step is forecast. The rates of kernels were measured one by one on
another GPU (`gpu/kernels.py`): nothing is fitted to these programs. Writes to docs/accuracy.md.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
GPU = ROOT / "benchmarks" / "gpu"
sys.path[:0] = [str(ROOT / "src"), str(GPU)]

# ruff: noqa: E402 - imports follow the path
import page
import torch

from miscast.core.machines import find
from miscast.planning.forecast.forecast import WAITING, Forecast, forecast
from miscast.planning.forecast.meter import Meter
from miscast.planning.forecast.rates import rates_of
from miscast.running.program.run import run_callable

MEASURED = GPU / "h100-2.11.0.jsonl"
WITHIN = 0.3


def forecast_of(name: str, machine: str) -> Forecast:
    """Of the second step: the first makes the model."""
    from programs import PROGRAMS

    meter, tf32 = Meter("cuda"), []

    def program() -> None:
        torch.manual_seed(0)
        steps = PROGRAMS[name]()
        for step in range(2):
            with nullcontext() if step else torch.device("cuda"):
                next(steps)
            meter.stepped()
        tf32.append(torch.get_float32_matmul_precision() != "highest")

    trace, _ = run_callable(program, (), {}, find(machine), watch=lambda vm: vm.dispatcher.meter(meter))
    if trace.ended is not None:
        raise RuntimeError(trace.ended)
    rates = rates_of(find(machine))
    assert rates is not None
    return forecast(meter.work, rates, tf32=tf32[0])


def rows(lines: list[dict[str, Any]], machine: str) -> Iterator[tuple[float, str]]:
    """Forecast over real, and the row."""
    for line in lines:
        told, real = forecast_of(line["name"], machine), min(line["seconds"][1:])
        share = told.kinds.get(WAITING, 0.0) / told.seconds
        largest = next(kind for kind in told.kinds if kind != WAITING)
        yield (
            told.seconds / real,
            (f"| `{line['name']}` | {told.seconds * 1e3:.0f} ms | {real * 1e3:.0f} ms | {told.seconds / real:.2f} | "
            f"{share:.0%} | {largest} |"),
        )


def main() -> int:
    """Forecast all, print, and write the page."""
    # torchvision's wheel declares its operators in a library that does not load beside a torch for the CPU
    for op in ("nms", "qnms"):
        torch.library.define(f"torchvision::{op}", "(Tensor dets, Tensor scores, float limit) -> Tensor")
    head, *lines = map(json.loads, MEASURED.read_text(encoding="utf-8").splitlines())
    ratios, told, far = [], [], []
    for line, (ratio, row) in zip(lines, rows(lines, MEASURED.name.partition("-")[0]), strict=True):
        print(row, file=sys.stderr, flush=True)
        ratios.append(ratio)
        told.append(row)
        if abs(ratio - 1) > WITHIN:
            far.append(f"`{line['name']}` {ratio:.2f}")
    near = sum(abs(ratio - 1) <= WITHIN for ratio in ratios)
    lines = [
        (f"Measured on {head['device']}, torch {head['torch']}: the fastest step after the first. "
        f"{near} of {len(ratios)} forecasts are within {WITHIN:.0%}; forecast ÷ real: median {median(ratios):.2f}."),
        "",
        "| program | forecast | real | forecast ÷ real | waiting for the host | largest kind |",
        "|---|---|---|---|---|---|",
        *told,
    ]  # fmt: skip
    print("\n".join(lines))
    others = f"The others: {', '.join(far)}. Forecast {page.today()}."
    page.write("make bench-plan_gpu", f"{lines[0]} {others}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
