"""Check whether the guard names the first NaN: `python benchmarks/first_nan.py [--cases N] [--write]`.

Each case is a correct program with one fault: within the model (after its norms, in its attention, its feed-forward net
or its head) or in the loss, visible in the forward pass or only in the backward pass, at some step of a training loop
that is written in one of several ways. An answer is right if it names the op and the line. Anomaly mode runs too: it is
right if its node is that of the faulty op.

Exit code 1 if less than 95 % are right, or if the median replay takes more than 10 times a step.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import statistics
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import page
import torch
from here import conditions
from nan_cases import FAULTS, LOOPS, PLACES, STEPS, TOKENS, WORDS, Case, cases

import miscast

BATCH = 8


@dataclass(frozen=True, kw_only=True)
class Told:
    """What was said of a case."""

    case: Case
    op: bool
    line: bool
    equal: bool
    steps: float
    anomaly: bool
    text: str


def program(case: Case, folder: Path, number: int) -> dict[str, Any]:
    """The case as a module of its own."""
    file = folder / f"case_{number:03}.py"
    file.write_text(case.source, encoding="utf-8")
    space: dict[str, Any] = {"__name__": file.stem, "__file__": str(file)}
    exec(compile(case.source, str(file), "exec"), space)
    return space


def batches(case: Case) -> Iterator[tuple[torch.Tensor, float]]:
    """So many, of which one is bad."""
    for step in range(1, STEPS + 1):
        yield torch.randint(0, WORDS, (BATCH, TOKENS)), float(step == case.step)


def told(case: Case, number: int, folder: Path) -> Told:
    """What the guard, and what anomaly mode says of it."""
    space = program(case, folder, number)
    torch.manual_seed(number)
    model = space["Model"]()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    trip = None
    with miscast.guard(model, optimizer) as guard:
        try:
            space["train"](model, optimizer, batches(case))
        except miscast.TrippedError as error:
            trip = error.trip
        guard.remove()
    named = anomaly(case, space, number)
    if trip is None or trip.rerun is None or not trip.rerun.producers:
        return Told(case=case, op=False, line=False, equal=False, steps=0.0, anomaly=named, text=str(trip))
    first = trip.rerun.producers[0]
    at = first.location
    return Told(
        case=case,
        op=trip.step == case.step and (first.op, first.node) == (case.fault.op, case.fault.node),
        line=at is not None and at.line == case.line and at.file.endswith(f"case_{number:03}.py"),
        equal=bool(trip.rerun.equal),
        steps=trip.rerun.steps,
        anomaly=named,
        text=str(trip),
    )


def anomaly(case: Case, space: dict[str, Any], number: int) -> bool:
    """Whether anomaly mode's message and the traceback that it warns of have the line."""
    torch.manual_seed(number)
    model = space["Model"]()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with torch.autograd.detect_anomaly(), contextlib.suppress(RuntimeError):
            space["train"](model, optimizer, batches(case))
    text = "\n".join(str(one.message) for one in said)
    lines = re.findall(rf'case_{number:03}\.py", line (\d+)', text)
    return bool(lines) and int(lines[-1]) == case.line


def table(found: list[Told]) -> list[str]:
    """For the page."""

    def share(right: Callable[[Told], bool], among: list[Told] = found) -> str:
        return f"{sum(map(right, among))} of {len(among)}"

    passes = {
        "in the forward pass": [one for one in found if not one.case.fault.node],
        "only in the backward pass": [one for one in found if one.case.fault.node],
        "all": found,
    }
    rows = [
        f"| {name} | {share(lambda o: o.op and o.line, some)} | {share(lambda o: o.anomaly, some)} |"
        for name, some in passes.items()
    ]
    steps = sorted(one.steps for one in found if one.steps)
    kinds = f"{len(FAULTS)} faults, at {len(PLACES)} places, in {len(LOOPS)} kinds of loop"
    often = share(lambda o: o.equal)
    slow = steps[int(0.9 * len(steps))]
    return [
        f"{len(found)} cases of {kinds}.",
        "",
        "| NaN arises | op and line right | `detect_anomaly`: line right |",
        "|---|---|---|",
        *rows,
        "",
        f"Replayed bit for bit: {often}. A replay took {statistics.median(steps):.1f} times a step (median),",
        f"{slow:.1f} in the slowest tenth, {steps[-1]:.1f} at most.",
    ]


def main() -> int:
    """Generate, ask, print."""
    import tempfile

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--show", action="store_true", help="print what was said of those that are wrong")
    given = parser.parse_args()
    torch.set_num_threads(1)
    where, found = conditions(), []
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(cases(given.cases)):
            one = told(case, number, Path(folder))
            found.append(one)
            if given.show and not (one.op and one.line and one.equal):
                wanted = f"{case.fault.op} {case.fault.node} in line {case.line}"
                print(f"--- {case.fault.name} in {case.place}, {case.loop}: wants {wanted}\n{one.text}")
    lines = [f"{where}.", "", *table(found)]
    print("\n".join(lines))
    if given.write:
        page.write("make bench-first_nan", "\n".join(lines))
    right = sum(one.op and one.line for one in found) / len(found)
    median = statistics.median(one.steps for one in found)
    return 0 if right >= 0.95 and median <= 10 else 1


if __name__ == "__main__":
    sys.exit(main())
