"""Measure what `miscast run` costs, as a ratio to the program alone: `python benchmarks/run.py [--quick]`.

Steps are watched in turns within one process, because two processes differ by more than `run` costs. Other processes
check that losses stay the same. Writes to docs/accuracy.md. Exit code 1 if a goal is missed; `--quick` runs fewer and
writes nothing.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from statistics import quantiles

import page
from check import HERE, Row, processor

PROGRAM = str(HERE / "run_step.py")
PLAIN = [sys.executable, PROGRAM, "plain"]
RUN = [sys.executable, "-m", "miscast", "run", PROGRAM, "plain"]
FUNCTIONS = [sys.executable, PROGRAM, "function"]
DISPATCHES = [sys.executable, PROGRAM, "dispatch"]
TURNS = [sys.executable, PROGRAM, "turns"]
_CALLS = """\
import timeit, torch
x = torch.zeros(1)
print(*(min(timeit.repeat(f, number=20000, repeat=5)) / 20000 for f in (lambda: torch.zeros(1), lambda: x.half())))
"""


@dataclass(frozen=True, kw_only=True)
class Steps:
    """The fastest step of each process, all losses, and the number of parameters."""

    best: list[float]
    losses: set[tuple[str, ...]]
    parameters: int

    @property
    def seconds(self) -> float:
        """Whatever else the machine does only ever adds time: the fastest step of all."""
        return min(self.best)


def processes(rounds: int, steps: int) -> list[Steps]:
    """Every command in a fresh process, turn by turn; who begins changes each round."""
    commands = [PLAIN, RUN, FUNCTIONS, DISPATCHES]
    found: list[list[dict[str, list[float]]]] = [[] for _ in commands]
    for turn in range(rounds):
        print(f"round {turn + 1} of {rounds} …", file=sys.stderr, flush=True)
        order = list(range(len(commands)))
        for index in order if turn % 2 else order[::-1]:
            out = _out([*commands[index], str(steps)])
            found[index].append(json.loads(out))
    return [
        Steps(
            best=[min(run["seconds"]) for run in runs],
            losses={tuple(map(str, run["losses"])) for run in runs},
            parameters=int(runs[0]["parameters"]),  # type: ignore[call-overload]
        )
        for runs in found
    ]


def turns(pairs: int) -> tuple[float, float]:
    """The lower quartile of the seconds of a watched step, and of the steps between them."""
    print(f"{pairs} pairs of steps …", file=sys.stderr, flush=True)
    seconds = json.loads(_out([*TURNS, str(2 * (pairs + 1))]))["seconds"][2:]
    alone, watched = seconds[0::2], seconds[1::2]
    return quantiles(watched, n=4)[0], quantiles(alone, n=4)[0]


def rows(pairs: int, rounds: int, steps: int, starts: int) -> list[Row]:
    """The figures as goals."""
    watched, unwatched = turns(pairs)
    plain, run, functions, dispatches = processes(rounds, steps)
    same = len(plain.losses | run.losses) == 1
    alone, ran = _start([sys.executable], starts), _start([sys.executable, "-m", "miscast", "run"], starts)
    (made, cast), (made_run, cast_run) = _calls([sys.executable]), _calls([sys.executable, "-m", "miscast", "run"])
    each = (f"{seconds:.3f} s" for seconds in (run.seconds, plain.seconds))
    return [
        Row(
            what=f"training step of {plain.parameters / 1e6:.0f} million parameters: watched ÷ not",
            measured=watched / unwatched, goal=1.03,
            detail=f"{watched:.3f} s ÷ {unwatched:.3f} s, lower quartiles of {pairs} steps each, in turns",
        ),
        Row(
            what="the same step: `miscast run` ÷ `python`", measured=run.seconds / plain.seconds, goal=float("inf"),
            detail=" ÷ ".join(each) + f", the fastest of {rounds} processes each",
        ),
        Row(
            what="losses that differ in any bit", measured=0 if same else 1, goal=0,
            detail=f"{steps} steps in each of {2 * rounds} processes",
        ),
        Row(
            what="a factory call, `torch.zeros(1)`: added", measured=(made_run - made) * 1e6, goal=10, unit="µs",
            detail=f"{made_run * 1e6:.1f} µs, alone {made * 1e6:.1f} µs",
        ),
        Row(
            what="a cast, `x.half()`: added", measured=(cast_run - cast) * 1e6, goal=10, unit="µs",
            detail=f"{cast_run * 1e6:.1f} µs, alone {cast * 1e6:.1f} µs",
        ),
        Row(
            what="start of a program that does nothing: added", measured=(ran - alone) * 1e3, goal=150, unit="ms",
            detail=f"{ran * 1e3:.0f} ms, alone {alone * 1e3:.0f} ms; without torch",
        ),
        Row(
            what="the same step under an empty `TorchFunctionMode` ÷ `python`",
            measured=functions.seconds / plain.seconds, goal=float("inf"),
            detail="not chosen: it also turns off fast paths",
        ),
        Row(
            what="the same step under an empty `TorchDispatchMode` ÷ `python`",
            measured=dispatches.seconds / plain.seconds, goal=float("inf"), detail="not chosen",
        ),
    ]  # fmt: skip


def _out(command: list[str]) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def _start(python: list[str], times: int) -> float:
    taken = []
    with _written("") as program:
        for _ in range(times):
            begin = time.perf_counter()
            _out([*python, program])
            taken.append(time.perf_counter() - begin)
    return min(taken)


def _calls(python: list[str]) -> tuple[float, float]:
    with _written(_CALLS) as program:
        made, cast = map(float, _out([*python, program]).split())
    return made, cast


@contextmanager
def _written(source: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.py"
        file.write_text(source, encoding="utf-8")
        yield str(file)


def table(lines: Sequence[Row], columns: int = 4) -> str:
    """Return the rows as Markdown, and the machine that they were measured on."""
    cells = [("", "measured", "goal", ""), ("---",) * 4]
    for row in lines:
        what, measured, goal, detail = row.cells()
        cells.append((what, measured, goal if row.goal != float("inf") else "", detail))
    where = (
        f"Measured {datetime.now(timezone.utc):%Y-%m-%d} with Python {platform.python_version()}, torch "
        f"{version('torch')} on {processor()}. Seconds of steps are the CPU time of one thread."
    )
    return "\n".join(["| " + " | ".join(c[:columns]) + " |" for c in cells]) + f"\n\n{where}\n"


def main() -> int:
    """Measure, print, write; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description="What `miscast run` costs while all is well.")
    parser.add_argument("--quick", action="store_true", help="fewer processes; the page is not written")
    quick = parser.parse_args().quick
    lines = rows(*((10, 1, 4, 3) if quick else (80, 4, 8, 10)))
    print(table(lines))
    if not quick:
        goals = [row for row in lines if row.goal < float("inf")]
        page.write("make bench-run", table(goals, 3))
    missed = [row.what for row in lines if not row.met]
    for what in missed:
        print(f"goal missed: {what}", file=sys.stderr)
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
