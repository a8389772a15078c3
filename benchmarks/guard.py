"""Measure what a guard costs, as ratios in one process: `python benchmarks/guard.py`.

    python benchmarks/guard.py [--device cuda] [--quick] [--write]

Training steps of GPT-2 with AdamW on one core of the CPU, or ten at a time on a GPU, in turns on one model: without,
with, with, without, so that drift cancels out. Compared are the guard with its file, `DebugUnderflowOverflow` of
Transformers, `torch.autograd.detect_anomaly`, a hook for NaN and infinities on every module without children, and
`isfinite().all()` of all gradients. A contestant that does nothing shows the error of the method.

On a CPU the time is the process's CPU time, which still varies by 10 % from step to step on a shared machine. On a GPU
it is the wall clock until the last of ten steps is done. A row is the median of many turns, taken until the error of
the median, by resampling, is below 0.25 %, or 100 of them. `--write` writes the CPU's table to docs/accuracy.md.

Exit code 1 if a guard costs more than 1.01 times a step.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import page
import torch
import transformers
from here import conditions
from torch import nn
from transformers.debug_utils import DebugUnderflowOverflow

import miscast

GOAL = 1.01
NOISE = 0.0025
LEAST = 24
TOGETHER = {"cpu": 1, "cuda": 10}
"""So many steps are timed as one: a GPU is only waited for after the last."""


@dataclass(frozen=True, kw_only=True)
class Contest:
    """A model, its batch, and how many turns are taken."""

    name: str
    layers: int
    width: int
    words: int
    batch: int
    tokens: int
    most: int
    """So many turns of a row with a goal; of the others an eighth."""


CONTESTS = (
    Contest(name="5 M", layers=4, width=256, words=8000, batch=4, tokens=128, most=100),
    Contest(name="97 M", layers=12, width=768, words=16000, batch=2, tokens=128, most=12),
)


@dataclass(frozen=True, kw_only=True)
class Row:
    """`ratio` to a bare step, `error` of it, after so many turns."""

    name: str
    ratio: float
    error: float = 0.0
    turns: int = 0
    goal: float | None = None


class Training:
    """One model and its optimizer, and what a step of theirs is."""

    def __init__(self, contest: Contest, device: str) -> None:
        """As large as the contest says."""
        torch.manual_seed(0)
        self.device = device
        config = transformers.GPT2Config(
            n_layer=contest.layers, n_embd=contest.width, n_head=contest.width // 64, vocab_size=contest.words,
            n_positions=contest.tokens, bos_token_id=0, eos_token_id=0, loss_type="ForCausalLM",
        )  # fmt: skip
        self.model = transformers.GPT2LMHeadModel(config).train().to(device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, foreach=True)
        self.ids = torch.randint(0, contest.words, (contest.batch, contest.tokens)).to(device)

    def step(self, *, clip: bool, look: Callable[[nn.Module], object] | None = None) -> None:
        """As everybody writes it."""
        self.optimizer.zero_grad()
        loss = self.model(self.ids, labels=self.ids).loss
        loss.backward()
        if clip:
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        if look is not None:
            look(self.model)
        self.optimizer.step()


Enter = Callable[[Training], AbstractContextManager[Any]]


@contextmanager
def debugged(training: Training) -> Iterator[None]:
    """Transformers' own."""
    before = [(one, dict(one._forward_hooks)) for one in training.model.modules()]
    with contextlib.redirect_stdout(io.StringIO()):
        DebugUnderflowOverflow(training.model)
        try:
            yield
        finally:
            for one, hooks in before:
                one._forward_hooks.clear()
                one._forward_hooks.update(hooks)


@contextmanager
def hooked(training: Training) -> Iterator[None]:
    """`isnan` and `isinf` of what each module without children returns."""

    def look(_: nn.Module, __: Any, output: Any) -> None:
        if isinstance(output, torch.Tensor) and output.is_floating_point():
            torch.isnan(output).any().item()
            torch.isinf(output).any().item()

    handles = [m.register_forward_hook(look) for m in training.model.modules() if not list(m.children())]
    try:
        yield
    finally:
        for one in handles:
            one.remove()


@contextmanager
def anomaly(_: Training) -> Iterator[None]:
    """What torch has."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly():
            yield


def all_finite(model: nn.Module) -> bool:
    """What is often written by hand."""
    return all(bool(torch.isfinite(p.grad).all()) for p in model.parameters() if p.grad is not None)


OTHERS: dict[str, Enter] = {
    "a hook on every module": hooked,
    "Transformers' `DebugUnderflowOverflow`": debugged,
    "`torch.autograd.detect_anomaly`": anomaly,
}


def seconds(training: Training, **options: Any) -> float:
    """CPU seconds of a step; of ten by the wall clock on a GPU."""
    clock = time.process_time if training.device == "cpu" else time.perf_counter
    begin = clock()
    for _ in range(TOGETHER[training.device]):
        training.step(**options)
    if training.device != "cpu":
        torch.cuda.synchronize()
    return clock() - begin


def measured(bare: Callable[[], float], watched: Callable[[], float], most: int) -> tuple[float, float, int]:
    """The median of the turns' ratios, its standard error, and how many there were."""
    found: list[float] = []
    while len(found) < most:
        turn = (bare(), watched(), watched(), bare())
        found.append((turn[1] + turn[2]) / (turn[0] + turn[3]))
        if len(found) >= LEAST and len(found) % 8 == 0 and error(found) < NOISE:
            break
    return statistics.median(found), error(found), len(found)


def error(found: list[float]) -> float:
    """The standard error of the median, by drawing as many again and again."""
    drawn = random.Random(0)
    return statistics.pstdev(statistics.median(drawn.choices(found, k=len(found))) for _ in range(200))


@contextmanager
def guarding(training: Training, **options: Any) -> Iterator[Any]:
    """A guard that pauses."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        guard = miscast.guard(training.model, training.optimizer, log=file.name, **options)
        guard.pause()
        try:
            yield guard
        finally:
            guard.remove()


def guarded(training: Training, most: int, *, clip: bool, wait: bool = False) -> Iterator[Row]:
    """What it costs, and by its own account."""
    name = f"{'with' if clip else 'without'} gradient clipping{', `wait=True`' * wait}"
    with guarding(training, wait=wait) as guard:

        def watched() -> float:
            guard.resume()
            taken = seconds(training, clip=clip)
            guard.pause()
            return taken

        watched()
        ratio, noise, turns = measured(lambda: seconds(training, clip=clip), watched, most)
        yield Row(name=f"**guard**, {name}", ratio=ratio, error=noise, turns=turns, goal=GOAL)
        yield Row(name="the same, as the guard measures it", ratio=1 + guard.share, goal=GOAL)


def others(training: Training, most: int) -> Iterator[Row]:
    """What is entered and left, or looks after the backward pass."""

    def bare() -> float:
        return seconds(training, clip=False)

    def looked() -> float:
        return seconds(training, clip=False, look=all_finite)

    ratio, noise, turns = measured(bare, looked, most)
    yield Row(name="`isfinite().all()` of all gradients", ratio=ratio, error=noise, turns=turns)
    for name, enter in OTHERS.items():

        def entered(enter: Enter = enter) -> float:
            with enter(training):
                return seconds(training, clip=False)

        ratio, noise, turns = measured(bare, entered, most)
        yield Row(name=name, ratio=ratio, error=noise, turns=turns)


def rows(contest: Contest, device: str, *, quick: bool) -> Iterator[Row]:
    """What was measured."""
    training = Training(contest, device)
    for _ in range(3):
        training.step(clip=True)
    most = 8 if quick else contest.most if device == "cpu" else min(contest.most, LEAST)
    ratio, noise, turns = measured(
        lambda: seconds(training, clip=True), lambda: seconds(training, clip=True), most
    )
    yield Row(name="nothing at all", ratio=ratio, error=noise, turns=turns)
    for wait in (False, True) if device != "cpu" else (False,):
        for clip in (True, False):
            yield from guarded(training, most, clip=clip, wait=wait)
    yield from others(training, max(most // 8, 3))


def main() -> int:
    """Measure, print, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--device", choices=TOGETHER, default="cpu")
    parser.add_argument("--only", metavar="MODEL", choices=[one.name for one in CONTESTS], help="5 M or 97 M")
    given = parser.parse_args()
    torch.set_num_threads(1)
    where = conditions(given.device)
    columns: list[list[Row]] = []
    only = CONTESTS[0].name if given.quick else given.only
    contests = [one for one in CONTESTS if only in {None, one.name}]
    for contest in contests:
        columns.append([])
        for row in rows(contest, given.device, quick=given.quick):
            told = f"{contest.name}: {row.name} {row.ratio:.4f} ± {row.error:.4f} ({row.turns} turns)"
            print(told, file=sys.stderr, flush=True)
            columns[-1].append(row)
    names = [f"{contest.name} parameters" for contest in contests]
    lines = [f"{where}. Step time ÷ the step alone: median of the rounds, with its standard error.", ""]
    lines += [f"| | {' | '.join(names)} | goal |", f"|---|{'---|' * len(names)}---|"]
    for several in zip(*columns, strict=True):
        values = " | ".join(map(_told, several))
        goal = several[0].goal
        lines.append(f"| {several[0].name} | {values} | {f'≤ {goal:.2f}' if goal else ''} |")
    print("\n".join(lines))
    if given.write and given.device == "cpu":
        page.write("make bench-guard", "\n".join(lines))
    return int(any(row.goal and round(row.ratio, 3) > row.goal for column in columns for row in column))


def _told(row: Row) -> str:
    missed = " **missed**" if row.goal and round(row.ratio, 3) > row.goal else ""
    return (f"{row.ratio:.3f} ± {row.error:.3f}" if row.turns else f"{row.ratio:.3f}") + missed


if __name__ == "__main__":
    sys.exit(main())
