"""Count false alarms of the guard: `python benchmarks/guard_trips.py [--steps N] [--write]`.

Small training runs that are correct but look unusual: loss scales that are too high, spikes, warm-up from a learning
rate of zero, masks of -inf, missing targets. The guard looks at everything in each step (`budget=1`). Exit code 1 if it
reports anything.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import page
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

import miscast

WIDTH, TOKENS, WORDS, BATCH = 32, 12, 50, 8
Parts = tuple[list[nn.Module], list[torch.optim.Optimizer], Callable[[int], None]]


class Language(nn.Module):
    """A causal language model with a key-padding mask."""

    def __init__(self) -> None:
        """Two layers of attention, one of which is torch's own."""
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.layer = nn.TransformerEncoderLayer(WIDTH, 4, 2 * WIDTH, dropout=0.1, batch_first=True)
        self.qkv, self.norm = nn.Linear(WIDTH, 3 * WIDTH), nn.LayerNorm(WIDTH)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:  # noqa: D102
        x = self.words(ids)
        mask = torch.full((TOKENS, TOKENS), float("-inf")).triu(1)
        x = self.layer(x, src_mask=mask, is_causal=True)
        q, k, v = self.qkv(self.norm(x)).chunk(3, -1)
        scores = (q @ k.transpose(-1, -2) / math.sqrt(WIDTH)).masked_fill(mask < 0, float("-inf"))
        return F.linear(x + scores.softmax(-1) @ v, self.words.weight)


def batch() -> tuple[torch.Tensor, torch.Tensor]:
    """Each token follows from the one before; some targets are padding."""
    ids = (torch.randint(0, WORDS, (BATCH, 1)) + 3 * torch.arange(TOKENS)) % WORDS
    targets = ids[:, 1:].clone()
    targets[torch.rand(targets.shape) < 0.2] = -100
    return ids, targets


def language(model: nn.Module) -> torch.Tensor:
    """Its loss."""
    ids, targets = batch()
    return F.cross_entropy(model(ids)[:, :-1].flatten(0, 1).float(), targets.flatten())


def mixed() -> Parts:
    """bfloat16 autocast, warm-up from zero, cosine to zero, clipping."""
    model = Language()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(s / 50, (1 + math.cos(s / 300)) / 2))

    def step(_: int) -> None:
        with torch.autocast("cpu", torch.bfloat16):
            loss = language(model)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()

    return [model], [optimizer], step


def scaled() -> Parts:
    """float16 autocast and a scale that begins far too high and doubles often."""
    model, scaler = Language(), torch.amp.GradScaler("cpu", init_scale=2.0**30, growth_interval=40)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def step(number: int) -> None:
        with torch.autocast("cpu", torch.float16):
            loss = language(model) / 2
        scaler.scale(loss).backward()
        if number % 2:
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()

    return [model], [optimizer], step


def half() -> Parts:
    """Weights in bfloat16, with float32 copies, at a small learning rate."""
    model = Language().bfloat16()
    optimizer = miscast.Policy.parse("bf16-true").optimizer(model, torch.optim.AdamW, lr=1e-4)

    def step(_: int) -> None:
        optimizer.zero_grad()
        language(model).backward()
        optimizer.step()

    return [model], [optimizer], step


def spiky() -> Parts:
    """Regression on heavy-tailed targets: gradients of 100 times the usual size, and batches without any."""
    model = nn.Sequential(nn.Linear(4, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)

    def step(number: int) -> None:
        x = torch.randn(16, 4)
        y = x.sum(-1, keepdim=True) * (100.0 if number % 97 == 96 else 1.0)
        loss = F.huber_loss(model(x), y) if number % 50 else (model(x) * 0).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return [model], [optimizer], step


def adversarial() -> Parts:
    """GAN: two models in turns, with hinge losses that are often zero."""
    maker = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
    judge = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
    makes, judges = (torch.optim.Adam(one.parameters(), lr=2e-3, betas=(0.5, 0.9)) for one in (maker, judge))

    def step(number: int) -> None:
        real, fake = torch.randn(16, 2) * 0.3 + 1, maker(torch.randn(16, 4))
        loss = F.relu(1 - judge(real)).mean() + F.relu(1 + judge(fake.detach())).mean()
        judges.zero_grad()
        loss.backward()
        judges.step()
        if number % 3 == 0:
            makes.zero_grad()
            (-judge(fake).mean()).backward()
            makes.step()

    return [maker, judge], [makes, judges], step


TRAININGS = (mixed, scaled, half, spiky, adversarial)


def counted(make: Callable[[], Parts], steps: int) -> tuple[int, list[str]]:
    """How many updates there were, and what the guard has said."""
    torch.manual_seed(0)
    models, optimizers, step = make()
    told = io.StringIO()
    with contextlib.redirect_stderr(told), miscast.guard(models, optimizers, on_trip="report", budget=1.0) as guard:
        for number in range(steps):
            step(number)
    return guard.steps, [str(trip) for trip in guard.trips] + told.getvalue().splitlines()


def rows(steps: int) -> Iterator[tuple[str, int, list[str]]]:
    """Each training's first line, its updates, and what was said of it."""
    for make in TRAININGS:
        updates, said = counted(make, steps)
        print(f"{make.__name__}: {updates} updates, {len(said)} lines", file=sys.stderr, flush=True)
        yield str(make.__doc__).rstrip("."), updates, said


def main() -> int:
    """Train, print, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=2200)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(1)
    found = list(rows(given.steps))
    lines = ["| correct training run | updates | alarms |", "|---|---|---|"]
    lines += [f"| {name} | {updates:,} | {'; '.join(said) or 'none'} |" for name, updates, said in found]
    lines.append(f"| all | {sum(updates for _, updates, _ in found):,} | |")
    print("\n".join(lines))
    if given.write:
        updates, alarms = sum(updates for _, updates, _ in found), sum(len(said) for *_, said in found)
        text = f"Measured {page.today()}: {len(found)} kinds of training runs, {updates:,} updates, {alarms} alarms."
        page.write("make bench-guard_trips", text)
    return int(any(said for _, _, said in found))


if __name__ == "__main__":
    sys.exit(main())
