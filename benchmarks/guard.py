"""What a guard costs, as ratios in one process: `python benchmarks/guard.py [--quick] [--write]`.

Training steps of GPT-2 with AdamW on one core of the CPU, a bare one and one of a contestant in turns, on one model.
Beside the guard, with its file: `DebugUnderflowOverflow` of Transformers, `torch.autograd.detect_anomaly`, a hook on
every module without children that looks for NaN and infinities, and `isfinite().all()` of all gradients.

Exit code 1 if a guard costs more than 1.01 times a step.
"""

from __future__ import annotations

import argparse
import contextlib
import io
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


@dataclass(frozen=True, kw_only=True)
class Contest:
    """A model, its batch, and how often its steps are taken."""

    name: str
    layers: int
    width: int
    words: int
    batch: int
    tokens: int
    steps: int
    """So many pairs of steps, a bare one and a guarded one."""
    others: int
    """The same of what is slower by far."""


CONTESTS = (
    Contest(name="5 M", layers=4, width=256, words=8000, batch=4, tokens=128, steps=60, others=4),
    Contest(name="97 M", layers=12, width=768, words=16000, batch=2, tokens=128, steps=5, others=1),
)


class Training:
    """One model and its optimizer, and what a step of theirs is."""

    def __init__(self, contest: Contest) -> None:
        """As large as the contest says."""
        torch.manual_seed(0)
        config = transformers.GPT2Config(
            n_layer=contest.layers, n_embd=contest.width, n_head=contest.width // 64, vocab_size=contest.words,
            n_positions=contest.tokens, bos_token_id=0, eos_token_id=0, loss_type="ForCausalLM",
        )  # fmt: skip
        self.model = transformers.GPT2LMHeadModel(config).train()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, foreach=True)
        self.ids = torch.randint(0, contest.words, (contest.batch, contest.tokens))

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
    """CPU seconds of a step."""
    begin = time.process_time()
    training.step(**options)
    return time.process_time() - begin


def guarded(training: Training, steps: int, *, clip: bool) -> tuple[float, float]:
    """The median of the pairs' ratios, of which one step is guarded; and the guard's own account of it."""
    found = []
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        guard = miscast.guard(training.model, training.optimizer, log=file.name)
        guard.pause()
        for turn in range(steps + 2):
            taken = {}
            for side in (True, False) if turn % 2 else (False, True):
                if side:
                    guard.resume()
                taken[side] = seconds(training, clip=clip)
                if side:
                    guard.pause()
            found.append(taken[True] / taken[False])
        guard.remove()
    return statistics.median(found[2:]), 1 + guard.share


def entered(training: Training, steps: int, enter: Enter) -> float:
    """The same of what is entered and left."""
    found = []
    for _ in range(steps):
        bare = seconds(training, clip=False)
        with enter(training):
            found.append(seconds(training, clip=False) / bare)
    return statistics.median(found)


def rows(contest: Contest, *, quick: bool) -> Iterator[tuple[str, float, float | None]]:
    """What was measured: its name, its ratio, and the goal if it has one."""
    training = Training(contest)
    for _ in range(2):
        training.step(clip=True)
    steps = contest.others if quick else contest.steps
    for clip, name in ((True, "gradients are clipped"), (False, "they are not")):
        ratio, account = guarded(training, steps, clip=clip)
        yield f"**guard**, {name}", ratio, GOAL
        yield "the same by its own account", account, GOAL
    found = [
        seconds(training, clip=False, look=all_finite) / seconds(training, clip=False) for _ in range(contest.others)
    ]
    yield "`isfinite().all()` of all gradients", statistics.median(found), None
    for name, enter in OTHERS.items():
        yield name, entered(training, contest.others, enter), None


def main() -> int:
    """Measure, print, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(1)
    where = conditions()
    columns: list[list[tuple[str, float, float | None]]] = []
    for contest in CONTESTS[: 1 if given.quick else None]:
        columns.append([])
        for row in rows(contest, quick=given.quick):
            print(f"{contest.name}: {row[0]} {row[1]:.4f}", file=sys.stderr, flush=True)
            columns[-1].append(row)
    names = [f"{contest.name} parameters" for contest in CONTESTS[: len(columns)]]
    lines = [f"{where}. Times a step; the ratio is the median of the rounds'.", ""]
    lines += [f"| | {' | '.join(names)} | goal |", f"|---|{'---|' * len(names)}---|"]
    for several in zip(*columns, strict=True):
        values = " | ".join(f"{value:.3f}" for _, value, _ in several)
        goal = several[0][2]
        lines.append(f"| {several[0][0]} | {values} | {f'≤ {goal:.2f}' if goal else ''} |")
    print("\n".join(lines))
    if given.write:
        page.write("guard.md", "python benchmarks/guard.py --write", "\n".join(lines))
    return int(any(goal and round(value, 3) > goal for column in columns for _, value, goal in column))


if __name__ == "__main__":
    sys.exit(main())
