"""Trainings that leave marks: iterators, counters, draws, files. Step 5's batch has a NaN. Each returns its marks."""

# ruff: noqa: ARG001, NPY002, PLW0603 - programs as they are written
from __future__ import annotations

import random
from collections import Counter, deque
from itertools import count

import numpy as np
import torch
from torch import nn

STEPS, BAD = 8, 5
calls = 0
numbers: Counter[str] = Counter()


class Meter:
    def __init__(self):
        self.n, self.sum, self.values = 0, torch.zeros(()), deque(maxlen=5)

    def update(self, value):
        self.n += 1
        self.sum += value
        self.values.append(value)


class Counting(nn.Module):
    """A model, and a criterion, that count their calls."""

    def __init__(self):
        super().__init__()
        self.inner, self.calls, self.seen = nn.Linear(4, 1), 0, []

    def forward(self, x):
        self.calls += 1
        self.seen.append(len(x))
        return self.inner(x)


def rows():
    made = torch.randn(4 * STEPS, 5)
    made[4 * BAD - 3, 1] = float("nan")
    return made


def parts():
    yield from rows().split(4)


def below(model, optimizer, folder):
    """The batch is taken in a function that the step calls; a DataLoader's iterator ends with the last step."""
    data = iter(torch.utils.data.DataLoader(rows(), batch_size=4, shuffle=True))
    seen = []

    def forward_step(data, model):
        batch = next(data)
        seen.append(batch.nan_to_num(7).sum().item())
        return (model(batch[:, :4]).squeeze(-1) - batch[:, 4]).square().mean()

    for _ in range(STEPS):
        loss = forward_step(data, model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return seen


def counting(model, optimizer, folder):
    """Meters, globals, draws and a tensor that is added to, after the model's call and in what it calls."""
    global calls
    calls, meter, ids, total = 0, Meter(), count(), torch.zeros(())
    numbers.clear()

    def criterion(out, y):
        global calls
        calls += 1
        numbers["loss"] += 1
        return (out.squeeze(-1) - y).square().mean()

    def train_step(batch):
        nonlocal total
        out = model(batch[:, :4] + random.random() + np.random.rand())
        loss = criterion(out, batch[:, 4])
        meter.update(loss.detach())
        total += loss.detach()
        numbers["draws"] += random.random() + np.random.rand()
        return loss

    for batch in parts():
        with torch.enable_grad():
            next(ids)
            loss = train_step(batch)
            optimizer.zero_grad()
            loss.backward()
        optimizer.step()
    values = [float(one.nan_to_num(7)) for one in (*meter.values, meter.sum, total)]
    return calls, dict(numbers), meter.n, values, next(ids), random.random(), np.random.rand()


def in_methods(model, optimizer, folder):
    """A trainer's attributes; the loss is one; the model is called two functions below."""

    class Trainer:
        def __init__(self):
            self.model, self.data, self.step_no, self.losses = model, parts(), 0, []

        def forward(self, batch):
            self.step_no += 1
            if self.step_no:
                with torch.autocast("cpu", torch.bfloat16, enabled=False):
                    taken = next(self.ids)
                    self.out = self.model(batch[:, :4])
                    self.step_no += taken * 0
            return self.out

        def loss(self):
            batch = next(self.data)
            out = self.forward(batch)
            self.losses.append(len(batch))
            return out.squeeze(-1).square().mean()

        def step(self):
            self.value = self.loss()
            self.value.backward()
            optimizer.step()
            optimizer.zero_grad()

    trainer = Trainer()
    trainer.ids = count()
    for _ in range(STEPS):
        trainer.step()
    return trainer.step_no, trainer.losses, next(trainer.ids)


def iterators_within(model, optimizer, folder):
    """What is taken after the model's call: labels from a generator, noise from an iterator."""
    labels, noise = iter([one[:, 4] for one in parts()]), (n * 0.1 for n in range(STEPS))

    def criterion(out):
        return (out.squeeze(-1) - next(labels) + next(noise)).square().mean()

    for batch in parts():
        loss = criterion(model(batch[:, :4]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return list(labels), list(noise)


def files(model, optimizer, folder):
    """A log that stays open, one that is opened each time, and a file that is read on."""
    (folder / "weights.txt").write_text("1\n" * STEPS)
    log, weights = (folder / "log.txt").open("w", buffering=1), (folder / "weights.txt").open(buffering=1)

    def criterion(out):
        loss = out.square().mean() * float(weights.readline())
        log.write(f"{loss.item()}\n")
        with (folder / "again.txt").open("a") as file:
            file.write("again\n")
        return loss

    for batch in parts():
        loss = criterion(model(batch[:, :4]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    log.close()
    with weights:
        return weights.read(), (folder / "log.txt").read_text(), (folder / "again.txt").read_text()


LOOPS = {one.__name__: one for one in (below, counting, in_methods, iterators_within, files)}
IN_PLACE = ("below", "counting", "in_methods")
"""Those whose marks can be undone in the process itself."""
