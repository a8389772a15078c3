"""Small trainings, each with one step that makes a NaN or an infinity. The line that makes it ends in `# here`."""

from __future__ import annotations

import inspect

import torch
from torch import nn
from torch.nn import functional as F

STEPS, BAD = 8, 5


class Net(nn.Module):
    """Norms with statistics, dropout, and a part that the cases disturb."""

    def __init__(self, extra=None):
        super().__init__()
        self.first, self.norm, self.drop = nn.Linear(6, 16), nn.BatchNorm1d(16), nn.Dropout(0.3)
        self.last = nn.Linear(16, 4)
        self.extra = extra

    def forward(self, x, bad=False):
        h = self.drop(torch.relu(self.norm(self.first(x))))
        if self.extra is not None:
            h = self.extra(h, bad)
        return self.last(h)


class Divides(nn.Module):
    def forward(self, h, bad):
        spread = h.detach() * 0 if bad else torch.ones(())
        return h / spread  # here


class Overflows(nn.Module):
    def forward(self, h, bad):
        factor = 1e6 if bad else 1.0
        return (h + 1).mul(factor).half().float() / factor  # here


class RootAtZero(nn.Module):
    """The value is right, the slope is not."""

    def forward(self, h, bad):
        length = (h * (0.0 if bad else 1.0)).pow(2).sum(-1, keepdim=True).sqrt()  # here
        return h + length


class NoKeyLeft(nn.Module):
    """A mask that leaves a row nothing: -inf is meant, softmax's NaN is not."""

    def forward(self, h, bad):
        mask = torch.zeros(4, 4, dtype=torch.bool).fill_diagonal_(not bad)
        mask = mask if bad else ~mask
        scores = (h @ h.T)[:4, :4].masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, -1)  # here
        return h + weights.sum() * 0.01


class Slope(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, bad):
        ctx.bad = bad
        return x * 1.0

    @staticmethod
    def backward(ctx, grad):
        return grad / (0.0 if ctx.bad else 1.0), None  # here


class OwnFunction(nn.Module):
    def forward(self, h, bad):
        return Slope.apply(h, bad)


class Where(nn.Module):
    """The known trap: what `where` leaves out has a gradient of 0 x inf."""

    def forward(self, h, bad):
        inner = torch.zeros_like(h) if bad else h.abs() + 1
        inner = inner.requires_grad_()
        return h + torch.where(inner > 0, torch.log(inner * (1 + 0 * h)), h * 0)  # here


class Checkpointed(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Divides()

    def forward(self, h, bad):
        return torch.utils.checkpoint.checkpoint(self.inner, h, bad, use_reentrant=False)


CASES = {
    "divides": (Divides, "div", "", "extra"),
    "overflows": (Overflows, "_to_copy", "", "extra"),
    "root at zero": (RootAtZero, "div", "SqrtBackward0", "extra"),
    "no key left": (NoKeyLeft, "_softmax", "", "extra"),
    "own function": (OwnFunction, "div", "", ""),
    "where": (Where, "div", "LogBackward0", "extra"),
    "checkpointed": (Checkpointed, "div", "", "extra.inner"),
}
"""The module, the op, the node whose backward pass it is in, the module's path."""


def line_of(module) -> int:
    """Of the class's marked line; else of the file's classes that it uses."""
    for one in (module, Divides if module is Checkpointed else Slope):
        lines, first = inspect.getsourcelines(one)
        for number, line in enumerate(lines):
            if line.rstrip().endswith("# here"):
                return first + number
    raise AssertionError(module)


def batches(seed=0):
    made = torch.Generator().manual_seed(seed)
    for step in range(1, STEPS + 1):
        yield torch.randn(8, 6, generator=made), torch.randint(0, 4, (8,), generator=made), step == BAD


def plain(model, optimizer):
    losses = []
    for x, y, bad in batches():
        optimizer.zero_grad()
        out = model(x, bad)
        loss = F.cross_entropy(out, y)
        losses.append(loss.detach())
        loss.backward()
        optimizer.step()
    return losses


def in_functions(model, optimizer):
    """The model's call and `backward()` in functions of their own."""
    losses = []

    def computed(x, y, bad):
        return F.cross_entropy(model(x, bad), y)

    def update(loss):
        loss.backward()
        optimizer.step()

    for x, y, bad in batches():
        optimizer.zero_grad()
        loss = computed(x, y, bad)
        update(loss)
        losses.append(loss.detach())
    return losses


def accumulating(model, optimizer):
    losses = []
    for number, (x, y, bad) in enumerate(batches()):
        for part in range(2):
            half = slice(4 * part, 4 * part + 4)
            with torch.autocast("cpu", torch.bfloat16, enabled=False):
                loss = F.cross_entropy(model(x[half], bad), y[half]) / 2
            loss.backward()
        losses.append(loss.detach())
        optimizer.step()
        optimizer.zero_grad(set_to_none=bool(number % 2))
    return losses


def clipping(model, optimizer):
    losses = []
    for x, y, bad in batches():
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16):
            out = model(x, bad)
            loss = F.cross_entropy(out.float(), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.detach())
    return losses


class Trainer:
    """Everything in methods, `zero_grad` at the end, a loss that is read before its backward pass."""

    def __init__(self, model, optimizer):
        self.model, self.optimizer, self.seen = model, optimizer, []

    def step(self, x, y, bad):
        out = self.model(x, bad)
        loss = F.cross_entropy(out, y)
        self.seen.append(float(loss.detach()))
        if not self.seen:
            return None
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.detach()


def in_methods(model, optimizer):
    trainer = Trainer(model, optimizer)
    return [trainer.step(*batch) for batch in batches()]


LOOPS = {one.__name__: one for one in (plain, in_functions, accumulating, clipping, in_methods)}
