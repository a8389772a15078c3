"""Measure how right and how fast `miscast explain` is, on the corpus of tests/explain, plain and wrapped as in logs.

    python benchmarks/explain.py          measure, print, and write the times to docs/accuracy.md
    python benchmarks/explain.py --print  measure and print
"""

from __future__ import annotations

import io
import random
import resource
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import page

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "explain")]

# ruff: noqa: E402, D102 - imports follow the path; a stream's methods are those of io
from judging import (
    CASES,
    CAUSES,
    FIELD,
    FIELD_NEGATIVES,
    FRESH,
    FRESH_NEGATIVES,
    NEGATIVES,
    right_category,
    right_op,
    right_operands,
)
from wrapping import WRAPPINGS

from miscast.explanation import explained, explained_stream

LOG = 200 << 20


class Log(io.RawIOBase):
    """A log of ordinary lines of 64 ranks, made while it is read; a traceback at its end."""

    def __init__(self, size: int) -> None:
        lines = (
            f"2024-01-01 12:00:{n % 60:02d},123 - INFO - trainer - [rank{n % 64}] step {n}/100000 epoch 0.12 "
            f"loss {n % 7}.3456 lr 1.0e-04 grad_norm 0.{n % 97} {n % 20}.3 it/s\n"
            for n in range(20000)
        )
        self.text = "".join(lines).encode()
        self.left, self.at = size, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        count = min(len(buffer), self.left, len(self.text) - self.at)
        buffer[:count] = self.text[self.at : self.at + count]
        self.at = (self.at + count) % len(self.text)
        self.left -= count
        return count


def accuracy(wrapping: str, cases: list[dict], negatives: list[dict] = NEGATIVES) -> dict[str, tuple[int, int]]:
    """How many are right, of how many, for each question."""
    right, asked = Counter(), Counter()
    for case in cases:
        found = explained(WRAPPINGS[wrapping](case["log"]))
        one = found[len(found) - 1] if found else None
        verdicts = {
            "category": bool(one and right_category(case, one.category)),
            "op": bool(one and right_op(case, one.op)),
            "operands": right_operands(case, one) if one else False,
        }
        if case["id"] in CAUSES:
            verdicts["first cause"] = bool(one and one.causes and one.causes[0].name in CAUSES[case["id"]])
        for what, verdict in verdicts.items():
            if verdict is not None:
                asked[what] += 1
                right[what] += verdict
    claims = sum(bool(explained(WRAPPINGS[wrapping](case["log"]))) for case in negatives)
    return {**{what: (right[what], asked[what]) for what in asked}, "claims": (claims, len(negatives))}


def speed() -> tuple[float, float]:
    """MB per CPU second on 200 MiB of ordinary lines, and the process's peak memory in MiB."""
    begin = time.process_time()
    explained_stream(io.BufferedReader(Log(LOG), 1 << 20))
    rate = LOG / 1e6 / (time.process_time() - begin)
    return rate, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def speed_of_differing() -> float:
    """MB per CPU second on a log of a training in which no two lines are alike: numbers, names of runs, other words.

    A sixth of the lines speak of a dtype, a scale or a file of tensors, and none is an error.
    """
    chosen = random.Random(1)
    said = ("loading", "shards", "worker", "finished", "evaluation", "saving", "model", "optimizer", "padded")

    def saved(n: int) -> str:
        return f"saved /runs/{chosen.getrandbits(32):08x}/checkpoint-{n}/model-00001-of-00099.safetensors"

    def layer(n: int) -> str:
        return f"layer {n % 80} q_proj.weight dtype torch.{chosen.choice(('float16', 'bfloat16'))} {chosen.random()}"

    def scale(_: int) -> str:
        return f"loss scale {2.0 ** chosen.randint(8, 20)} at {chosen.getrandbits(24):06x}; mean {chosen.random()}"

    kinds = (
        lambda n: f"step {n}/100000 epoch {n / 7919:.4f} loss {chosen.random():.5f} lr {chosen.random():.2e}",
        lambda n: f"{{'loss': {chosen.random():.4f}, 'grad_norm': {chosen.random():.5f}, 'epoch': {n / 999:.3f}}}",
        lambda n: f"sample {n * 7919:08x}: {' '.join(chosen.choices(said, k=chosen.randint(4, 13)))}",
        lambda n: f"{chosen.random() * 1e5:.1f} tokens/s, half of batch {n} is padded, {chosen.random():.4e} flops",
        saved,
        layer,
        scale,
    )
    picked = chosen.choices(kinds, (6, 4, 3, 2, 1, 1, 1), k=200_000)
    text = "".join(
        f"2026-03-01 12:{n % 60:02d}:07,123 - INFO - trainer - [rank{n % 64}] {kind(n)}\n"
        for n, kind in enumerate(picked)
    ).encode()
    spent = 0.0
    for _ in range(200_000_000 // len(text)):
        begin = time.process_time()
        explained_stream(io.BytesIO(text))
        spent += time.process_time() - begin
    return (200_000_000 // len(text)) * len(text) / 1e6 / spent


def start() -> float:
    """CPU seconds of the command on one line, as the median of 9."""
    times = []
    for _ in range(9):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "miscast", "explain"],
            input=b"RuntimeError: expected scalar type Half but found Float\n",
            stdout=subprocess.DEVNULL,
            env={"PYTHONPATH": str(ROOT / "src"), "PATH": ""},
            check=False,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(times)


HEAD = ["| log | category | op | operands | first cause | negatives reported |", "| --- " * 6 + "|"]
ASKED = ("category", "op", "operands", "first cause")


def tables() -> tuple[str, str]:
    """Return all figures as Markdown, and those of the page: times only, as the corpus taught the patterns."""
    begin = start()
    rate, memory = speed()  # before anything else takes memory
    speeds = "\n".join(_speeds(begin, rate, memory))
    return "\n".join([*HEAD, *_wrapped(), *_batches(), "", speeds]), speeds


def _wrapped() -> Iterator[str]:
    for wrapping in WRAPPINGS:
        figures = accuracy(wrapping, CASES if wrapping != "in_long_log" else CASES[::8])
        cells = [f"{right / of:.1%} of {of}" for right, of in (figures[asked] for asked in ASKED)]
        yield f"| {wrapping.replace('_', ' ')} | {' | '.join(cells)} | {figures['claims'][0]} of {len(NEGATIVES)} |"


def _batches() -> Iterator[str]:
    sets = ("later messages", FRESH, FRESH_NEGATIVES), ("other devices, compilers, serving", FIELD, FIELD_NEGATIVES)
    for name, cases, negatives in sets:
        figures = accuracy("plain", cases, negatives)
        cells = [f"{r / n:.1%} of {n}" for r, n in (figures[k] for k in ("category", "op", "operands"))]
        claims = f"{figures['claims'][0]} of {len(negatives)}"
        yield f"| {name}, plain | {' | '.join(cells)} | not labelled | {claims} |"


def _speeds(begin: float, rate: float, memory: float) -> list[str]:
    return [
        "| | measured | goal |",
        "| --- | --- | --- |",
        f"| MB per CPU second, ordinary lines of 64 ranks | {rate:.0f} | ≥ 50 |",
        f"| MB per CPU second, log of a training run, no two lines alike | {speed_of_differing():.0f} | ≥ 150 |",
        f"| peak memory, log of 200 MiB | {memory:.0f} MiB | independent of the log |",
        f"| `miscast explain` of one line, CPU time | {begin:.2f} s | ≤ 0.15 s |",
        "",
        f"Measured {page.today()}.",
    ]


def main() -> None:
    """Measure, and write or print the table."""
    text, brief = tables()
    print(text)
    if "--print" not in sys.argv:
        page.write("make bench-explain", brief)


if __name__ == "__main__":
    main()
