"""Measure speed and memory of `miscast check`, as ratios on this machine: `python benchmarks/check.py [--quick]`.

Writes the first rows and the missed goals to docs/accuracy.md. Exit code 1 if a goal is missed; `--quick` runs shorter
loops and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path

import page

HERE = Path(__file__).resolve().parent
MEASURES = ("speed", "llama", "flat", "memory", "call", "start", "many", "waits", "commands", "loops")

Figures = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table: what was measured, what came out, and the most that it may be."""

    what: str
    measured: float
    goal: float
    unit: str = ""
    detail: str = ""

    @property
    def met(self) -> bool:
        """Whether the goal is reached."""
        return self.measured <= self.goal

    def cells(self) -> tuple[str, ...]:
        """The line's cells as Markdown."""
        unit = f" {self.unit}" if self.unit else ""
        mark = "" if self.met else " **missed**"
        return self.what, f"{self.measured:.3g}{unit}{mark}", f"≤ {self.goal:g}{unit}", self.detail


def rows(found: Figures) -> list[Row]:
    """The figures as goals."""
    speed, llama, flat, memory, call, start, many, waits, commands, loops = (found[name] for name in MEASURES)
    check, longest = speed["check_s"], max(flat, key=int)
    per_op = {int(count): f"{time:.0f}" for count, time in flat.items()}
    steps = f"{memory['steps']:.0f}"
    return [
        Row(
            what="SDXL UNet, forward and backward: `check` ÷ bare meta tensors",
            measured=check / speed["meta_s"], goal=1.5,
            detail=f"{check:.2f} s ÷ {speed['meta_s']:.2f} s, {speed['ops']:,.0f} ops",
        ),
        Row(
            what="the same: `check` ÷ `FakeTensorMode` under an empty `TorchDispatchMode`",
            measured=check / speed["fake_s"], goal=0.8,
            detail=f"{check:.2f} s ÷ {speed['fake_s']:.2f} s",
        ),
        Row(
            what="Llama-70B: build, forward, backward, AdamW",
            measured=llama["seconds"], goal=10, unit="s",
            detail=f"{llama['parameters'] / 1e9:.1f} billion parameters, 4,096 tokens, {llama['ops']:,.0f} ops",
        ),
        Row(
            what="its peak memory, torch and transformers included",
            measured=llama["mib"], goal=1024, unit="MiB",
            detail=f"{llama['added_mib']:.0f} MiB of them by the run",
        ),
        Row(
            what=f"time per op after {int(longest):,} ops ÷ after 1,000",
            measured=flat[longest] / flat["1000"], goal=1.25,
            detail=", ".join(f"{count:,}: {time} µs" for count, time in sorted(per_op.items())),
        ),
        Row(
            what=f"live Python objects after {steps} training steps ÷ after 10",
            measured=memory["last_objects"] / memory["first_objects"], goal=1.001,
            detail=f"{memory['last_objects']:,.0f} ÷ {memory['first_objects']:,.0f}",
        ),
        Row(
            what=f"resident memory after {steps} training steps ÷ after 10",
            measured=memory["last_mib"] / memory["first_mib"], goal=1.01,
            detail=f"{memory['last_mib']:.1f} MiB ÷ {memory['first_mib']:.1f} MiB",
        ),
        Row(
            what="one op call after the first in a process, on v100",
            measured=call["v100_ms"], goal=20, unit="ms",  # some 9 of them are the box of Python
            detail=f"{call['cpu_ms']:.2f} ms on cpu; a bare meta tensor {call['meta_ms']:.3f} ms, "
            f"{call['v100_ms'] / call['meta_ms']:.0f} times less",
        ),
        Row(what="`import miscast`", measured=start["ms"], goal=50, unit="ms", detail="without torch; median of 20"),
        Row(
            what=f"a script with {many['many']:,.0f} findings ÷ with 50",
            measured=many["many_s"] / many["few_s"], goal=25,
            detail=f"{many['many_s']:.2f} s ÷ {many['few_s']:.2f} s",
        ),
        Row(
            what="20 findings in a file of 5,000 lines ÷ in one of 100",
            measured=many["long_s"] / many["short_s"], goal=1.3,
            detail=f"{many['long_s']:.2f} s ÷ {many['short_s']:.2f} s",
        ),
        Row(
            what="a finding is printed ÷ it is known, since the start of `check`",
            measured=waits["told_s"] / waits["known_s"], goal=1.1,
            detail=f"{waits['told_s']:.1f} s ÷ {waits['known_s']:.1f} s",
        ),
        Row(
            what="a script of transformers: `check` ÷ `check --fixes 0 --reach 0`",
            measured=waits["whole_s"] / waits["alone_s"], goal=1.6,
            detail=f"{waits['whole_s']:.1f} s ÷ {waits['alone_s']:.1f} s",
        ),
        *_of_commands(commands),
        *_of_loops(loops),
    ]  # fmt: skip


def _of_commands(found: Mapping[str, float]) -> list[Row]:
    def ratio(what: str, one: str, other: str, goal: float) -> Row:
        a, b = found[f"{one}_s"], found[f"{other}_s"]
        return Row(what=what, measured=a / b, goal=goal, detail=f"{a:.2f} s ÷ {b:.2f} s")

    return [
        ratio("a script of one line: `check` ÷ `import torch, torch._dynamo`", "line", "floor", 1.05),
        ratio("a script with one finding: `check` ÷ `check --fixes 0 --reach 0`", "whole_1", "plain_1", 1.6),
        ratio("the same: `fix` ÷ `check --fixes 0 --reach 0`", "fix_1", "plain_1", 2),
        ratio("a script with three findings: `fix` ÷ `check --fixes 0 --reach 0`", "fix_3", "plain_3", 2.5),
        ratio(f"{found['steps']:,.0f} steps of a small model ÷ two steps", "long", "short", 1.3),
        Row(what="one more rank", measured=found["rank_s"], goal=0.4, unit="s"),
        ratio("`explain` of one line ÷ `python -c pass`", "explain", "python", 6),
    ]


def _of_loops(found: Mapping[str, float]) -> list[Row]:
    goals = {
        "lstm": ("an LSTM cell over 500 time steps", 4), "graphs": ("50 small graphs", 4),
        "policy": ("five episodes of 200 moves", 6),
    }  # fmt: skip
    return [
        *(
            Row(
                what=f"{what}: a later step ÷ the real one",
                measured=found[f"{name}_s"] / found[f"{name}_real_s"], goal=goal,
                detail=f"{found[f'{name}_s']:.2f} s ÷ {found[f'{name}_real_s']:.2f} s",
            )
            for name, (what, goal) in goals.items()
        ),
        Row(what="`x + y`, an op after the first", measured=found["sum_us"], goal=70, unit="µs"),
    ]  # fmt: skip


def measure(name: str, *, quick: bool) -> dict[str, float]:
    """Run one measurement in a process of its own."""
    print(f"{name} …", file=sys.stderr, flush=True)
    command = [sys.executable, "-W", "ignore", str(HERE / "measures.py"), name, *(["--quick"] if quick else [])]
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    figures: dict[str, float] = json.loads(out.splitlines()[-1])
    return figures


def table(lines: list[Row]) -> str:
    """Return the rows as Markdown, and the machine that they were measured on."""
    return _markdown(lines, 4, conditions())


def brief(lines: list[Row]) -> str:
    """Return the table of the page: the first four rows, and the goals that are missed."""
    shown = [row for row in lines if row in lines[:4] or not row.met]
    return _markdown(shown, 3, f"The other {len(lines) - len(shown)} goals are reached. {conditions()}")


def _markdown(lines: list[Row], columns: int, text: str) -> str:
    cells = [("", "measured", "goal", ""), ("---",) * 4, *(row.cells() for row in lines)]
    return "\n".join(["| " + " | ".join(c[:columns]) + " |" for c in cells]) + f"\n\n{text}\n"


def conditions() -> str:
    """Return the day, the versions and the machine."""
    return (
        f"Measured {datetime.now(timezone.utc):%Y-%m-%d} with Python {platform.python_version()}, torch "
        f"{version('torch')}, diffusers {version('diffusers')}, transformers {version('transformers')} on "
        f"{processor()}. The first two rows and the op call are CPU time (median after a warm-up)."
    )


def processor() -> str:
    """The processor's name and how many of them."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{len(names)} × {names[0]}" if names else platform.machine()


def main() -> int:
    """Measure, print, write; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description="Speed and memory of `miscast check`.")
    parser.add_argument("--quick", action="store_true", help="shorter loops; the page is not written")
    quick = parser.parse_args().quick
    lines = rows({name: measure(name, quick=quick) for name in MEASURES})
    print(table(lines))
    if not quick:
        page.write("make bench-check", brief(lines))
    missed = [row.what for row in lines if not row.met]
    for what in missed:
        print(f"goal missed: {what}", file=sys.stderr)
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
