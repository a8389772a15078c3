"""A training step of a model of 100 million parameters on a CPU: `python run_step.py WATCH STEPS`.

Prints the seconds of each step and the losses as JSON. WATCH is

    plain     nothing: for `python` and for `miscast run`
    turns     what `miscast run` watches is watched in every second step, beginning with the second
    function  under a TorchFunctionMode that does nothing, another way to watch a program
    dispatch  under a TorchDispatchMode that does nothing
"""

from __future__ import annotations

import json
import sys
import time
from contextlib import nullcontext
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody calls it
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

WIDTH, HEADS, LAYERS, TOKENS, WORDS = 768, 12, 12, 16, 20_000


class _Functions(TorchFunctionMode):
    def __torch_function__(self, func: Any, _: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class _Dispatches(TorchDispatchMode):
    def __torch_dispatch__(self, func: Any, _: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class Block(nn.Module):
    """Attention and a feed-forward net, each behind a norm."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:  # noqa: D102
        batch, length, _ = x.shape
        q, k, v = (part.view(batch, length, HEADS, -1).transpose(1, 2) for part in self.qkv(self.first(x)).chunk(3, -1))
        mask = torch.full((length, length), float("-inf"), dtype=x.dtype, device=x.device).triu(1)
        attended = F.scaled_dot_product_attention(q, k, v.to(q.dtype), attn_mask=mask.to(q.dtype))
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.narrow(F.gelu(self.wide(self.second(x)).float()).to(x.dtype))


class Model(nn.Module):
    """A language model whose output layer shares its embedding."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(TOKENS, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, words: torch.Tensor) -> torch.Tensor:  # noqa: D102
        x = self.words(words) + self.places(torch.arange(words.shape[1], device=words.device))
        for block in self.blocks:
            x = block(x)
        return F.linear(self.norm(x).float(), self.words.weight)


class Watch:
    """The recorder of `miscast run`, which can be taken away and put back: its functions, and the ones they replace."""

    def __init__(self) -> None:
        from miscast.live import recorder

        owners = (torch, torch.Tensor, nn.Module)
        before = [dict(vars(owner)) for owner in owners]
        recorder.install()
        self.replaced = [
            (owner, name, old[name], watched)
            for owner, old in zip(owners, before, strict=True)
            for name, watched in vars(owner).items()
            if name in old and watched is not old[name]
        ]

    def on(self, wanted: bool) -> None:  # noqa: D102
        for owner, name, original, watched in self.replaced:
            setattr(owner, name, watched if wanted else original)


def main(watch: str, steps: int) -> None:
    """Train, and print."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    seconds, losses = [], []
    turns = Watch() if watch == "turns" else None
    mode = {"function": _Functions, "dispatch": _Dispatches}.get(watch, nullcontext)
    with mode():
        for step in range(steps):
            if turns:
                turns.on(bool(step % 2))
            begin = time.thread_time()
            words = torch.randint(0, WORDS, (1, TOKENS + 1)).to("cpu")
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(words[:, :-1]).flatten(0, 1), words[:, 1:].flatten().long())
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            losses.append(loss.item().hex())
            seconds.append(time.thread_time() - begin)
    count = sum(p.numel() for p in model.parameters())
    print(json.dumps({"seconds": seconds, "losses": losses, "parameters": count}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
