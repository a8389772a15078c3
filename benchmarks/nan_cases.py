"""Generated trainings of a small transformer, each with a line that makes the first NaN in one of its steps."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

WIDTH, HEADS, TOKENS, WORDS, STEPS = 128, 4, 32, 400, 8


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A line that is right while `bad` is 0.0, and not when it is 1.0. `x` is what goes through it, and comes out."""

    name: str
    line: str
    op: str
    """As torch names it, in the pass where it first goes wrong."""
    node: str = ""
    before: str = ""
    """What is computed above, correctly."""


FAULTS = (
    Fault(
        name="log of a vanished probability",
        before="q = torch.softmax(x * (1 + bad * 1e4), -1)",
        line="x = x - 0.01 * torch.log(q)",
        op="log",
    ),
    Fault(
        name="division by a count of zero",
        before="n = (x > bad * 1e9).sum().float()",
        line="x = x + (x.detach() * 0 / n).mean()",
        op="div",
    ),
    Fault(name="exponential", before="s = x * (1 + bad * 1e5)", line="x = x + 0 * torch.exp(s.abs() * 0.1)", op="exp"),
    Fault(name="square", before="s = x + bad * 1e25", line="x = x + 0 * s.square()", op="pow"),
    Fault(
        name="cast to float16",
        before="s = x * (1 + bad * 1e6)",
        line="x = x + 0.001 * s.half().float()",
        op="_to_copy",
    ),
    Fault(
        name="product in float16",
        before="s = (1 + bad * 300) * torch.ones_like(x).half()",
        line="x = x + 1e-6 * (s * s).float()",
        op="mul",
    ),
    Fault(
        name="matrix product in float16",
        before="s = torch.full_like(x, 0.1 + 60 * bad).half()",
        line="x = x + 1e-6 * (s @ s.transpose(-1, -2)).float().mean()",
        op="bmm",
    ),
    Fault(
        name="a row without a key",
        before="m = torch.full(x.shape[-1:], -1.0 + 2 * bad) > 0",
        line="x = x + torch.softmax(x.masked_fill(m, float('-inf')), -1)",
        op="_softmax",
    ),
    Fault(name="variance of one", before="k = 2 - int(bad)", line="x = x + x[..., :k].var(-1, keepdim=True)", op="var"),
    Fault(
        name="arc cosine",
        before="c = torch.tanh(x).detach() * (0.9 + bad)  + bad",
        line="x = x + 0.01 * torch.acos(c)",
        op="acos",
    ),
    Fault(
        name="power of a negative number",
        before="b = x.detach().abs() * (1 - 2 * bad)  - bad",
        line="x = x + 0.01 * b.pow(0.5)",
        op="pow",
    ),
    Fault(
        name="reciprocal root of a variance",
        before="v = x.detach().pow(2).mean(-1, keepdim=True) * (1 - bad)",
        line="x = x + 0.01 * x * torch.rsqrt(v)",
        op="rsqrt",
    ),
    Fault(
        name="infinity less infinity",
        before="s = 1e20 * (1e18 * bad + 1)",
        line="x = x + 0 * (s * x.detach() * 1e3)",
        op="mul",
    ),
    Fault(
        name="mean of nothing",
        before="m = torch.arange(x.shape[0]) >= bad * 99",
        line="x = x + x[m].mean()",
        op="mean",
    ),
    Fault(
        name="root at zero",
        before="d = x - x * bad",
        line="x = x + 0.1 * d.pow(2).sum(-1, keepdim=True).sqrt()",
        op="div",
        node="SqrtBackward0",
    ),
    Fault(
        name="norm at zero, squared by hand",
        before="d = (x - x * bad).square().mean(-1, keepdim=True)",
        line="x = x + torch.sqrt(d)",
        op="div",
        node="SqrtBackward0",
    ),
    Fault(
        name="log that `where` leaves out",
        before="p = x.abs() * (1 - bad) + (1 - bad)",
        line="x = x + 0.1 * torch.where(p > 0, torch.log(p), x * 0)",
        op="div",
        node="LogBackward0",
    ),
    Fault(
        name="division that `where` leaves out",
        before="p = x.abs() * (1 - bad) + (1 - bad)",
        line="x = x + 0.1 * torch.where(p > 0, x / p, x)",
        op="div",
        node="DivBackward0",
    ),
    Fault(
        name="cube root at zero",
        before="d = x.abs() * (1 - bad)",
        line="x = x + 0.1 * d.pow(1 / 3)",
        op="pow",
        node="PowBackward0",
    ),
    Fault(
        name="arc sine at one",
        before="d = x * (1 - bad) * 1e-3 + bad",
        line="x = x + 0.1 * torch.asin(d)",
        op="rsqrt",
        node="AsinBackward0",
    ),
    Fault(
        name="slope overflows in float16",
        before="k = 1e-9 + bad * 1e20",
        line="x = x + (lambda s: s - s.detach())((x * 0.01).half().float() * k)",
        op="_to_copy",
        node="ToCopyBackward0",
    ),
    Fault(
        name="length of nothing",
        before="d = x * (1 - bad)",
        line="x = x + 0.1 * torch.hypot(d, d)",
        op="div",
        node="HypotBackward0",
    ),
)
PLACES = ("norm", "attention", "feed", "head", "loss")
LOOPS = ("plain", "functions", "accumulating", "clipping", "autocast off", "method")

PROGRAM = """import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear({width}, 3 * {width}), nn.Linear({width}, {width})

    def forward(self, x, bad):
        q, k, v = (p.unflatten(-1, ({heads}, -1)).transpose(1, 2) for p in self.qkv(x).chunk(3, -1))
        mask = torch.full(({tokens}, {tokens}), float("-inf")).triu(1)
        w = torch.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5 + mask, -1)
        x = (w @ v).transpose(1, 2).flatten(2)
{attention}
        return self.out(x)


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear({width}, 4 * {width}), nn.Linear(4 * {width}, {width})

    def forward(self, x, bad):
        x = F.gelu(self.up(x))
{feed}
        return self.down(x)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LayerNorm({width}), nn.LayerNorm({width})
        self.attention, self.feed, self.drop = Attention(), FeedForward(), nn.Dropout(0.1)

    def forward(self, h, bad):
        x = self.first(h)
{norm}
        h = h + self.drop(self.attention(x, bad))
        return h + self.drop(self.feed(self.second(h), bad))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding({words}, {width})
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.norm = nn.LayerNorm({width})

    def forward(self, ids, bad):
        x = self.words(ids)
        for number, block in enumerate(self.blocks):
            x = block(x, bad if number == 1 else 0.0)
        x = self.norm(x)
{head}
        return F.linear(x, self.words.weight)


def loss_of(model, ids, bad):
    x = model(ids, bad)
{loss}
    return F.cross_entropy(x[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
"""
TRAINING = {
    "plain": """
def train(model, optimizer, batches):
    for ids, bad in batches:
        optimizer.zero_grad()
        loss = loss_of(model, ids, bad)
        loss.backward()
        optimizer.step()
""",
    "functions": """
def update(optimizer, loss):
    loss.backward()
    optimizer.step()


def train(model, optimizer, batches):
    for ids, bad in batches:
        loss = loss_of(model, ids, bad)
        update(optimizer, loss)
        optimizer.zero_grad(set_to_none=True)
""",
    "accumulating": """
def train(model, optimizer, batches):
    for ids, bad in batches:
        for half in ids.chunk(2):
            (loss_of(model, half, bad) / 2).backward()
        optimizer.step()
        optimizer.zero_grad()
""",
    "clipping": """
def train(model, optimizer, batches):
    for ids, bad in batches:
        optimizer.zero_grad()
        loss = loss_of(model, ids, bad)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
""",
    "autocast off": """
def train(model, optimizer, batches):
    for ids, bad in batches:
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=False):
            loss = loss_of(model, ids, bad)
        loss.backward()
        optimizer.step()
""",
    "method": """
class Trainer:
    def __init__(self, model, optimizer):
        self.model, self.optimizer, self.seen = model, optimizer, []

    def step(self, ids, bad):
        loss = loss_of(self.model, ids, bad)
        self.seen.append(loss.detach())
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return self.seen[-1].item()


def train(model, optimizer, batches):
    trainer = Trainer(model, optimizer)
    for ids, bad in batches:
        trainer.step(ids, bad)
""",
}


@dataclass(frozen=True, kw_only=True)
class Case:
    """A fault at a place of a program."""

    fault: Fault
    place: str
    loop: str
    step: int
    source: str
    line: int



def cases(count: int) -> Iterator[Case]:
    """Every fault in turn; where, and how it is trained, by chance."""
    chance = random.Random(0)
    for number in range(count):
        fault = FAULTS[number % len(FAULTS)]
        place, loop = chance.choice(PLACES), chance.choice(LOOPS)
        texts = dict.fromkeys(PLACES, "")
        margin = " " * (4 if place == "loss" else 8)
        texts[place] = f"{margin}{fault.before}\n{margin}{fault.line}"
        sizes = {"width": WIDTH, "heads": HEADS, "tokens": TOKENS, "words": WORDS}
        source = PROGRAM.format(**texts, **sizes) + "\n" + TRAINING[loop]
        line = next(n for n, text in enumerate(source.splitlines(), 1) if text.strip() == fault.line)
        yield Case(fault=fault, place=place, loop=loop, step=chance.randrange(3, STEPS), source=source, line=line)
