"""Small programs, each of which trains or runs a model in a precision of its own; `seen(model, optimizer)` is told.

On the virtual machine nobody listens; in a real run `real_precision.py` does.
"""

from __future__ import annotations

import contextlib
import os
import tempfile

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        q, k, v = self.qkv(x)[:, None].chunk(3, dim=-1)
        return self.out(F.scaled_dot_product_attention(q, k, v)[:, 0])


class Eager(Attention):
    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        weights = torch.softmax(q @ k.transpose(1, 2), dim=-1)
        return self.out(weights @ v)


class Block(nn.Module):
    def __init__(self, width, attention):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.attention = attention(width)
        self.register_buffer("scale", torch.ones(width))

    def forward(self, x):
        return x + self.attention(self.norm(x.to(self.norm.weight.dtype)).to(x.dtype)) * self.scale


class Net(nn.Module):
    def __init__(self, width=8, depth=2, attention=Attention):
        super().__init__()
        self.layers = nn.Sequential(*(Block(width, attention) for _ in range(depth)))
        self.head = nn.Linear(width, 4)

    def forward(self, x):
        return self.head(self.layers(x))


def steps(model, optimizer, dtype=torch.float32, turns=2, region=None):
    for _ in range(turns):
        with region or contextlib.nullcontext():
            out = model(torch.randn(2, 3, 8).to(dtype))
        out.float().pow(2).mean().backward()
        optimizer.step()
        optimizer.zero_grad()


def plain_float32(seen):
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters())
    seen(model, optimizer)
    steps(model, optimizer)


def half(seen):
    model = Net().half()
    optimizer = torch.optim.SGD(model.parameters(), momentum=0.9)
    seen(model, optimizer)
    steps(model, optimizer, torch.float16)


def autocast_bfloat16(seen):
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters())
    seen(model, optimizer)
    steps(model, optimizer, region=torch.autocast("cpu", torch.bfloat16))


def scaled_float16(seen):
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = torch.amp.GradScaler("cpu")
    seen(model, optimizer)
    for _ in range(2):
        with torch.autocast("cpu", torch.float16):
            out = model(torch.randn(2, 3, 8))
        scaler.scale(out.float().pow(2).mean()).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()


def scaler_switched_off(seen):
    model = Net().bfloat16()
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    seen(model, optimizer)
    for _ in range(2):
        scaler.scale(model(torch.randn(2, 3, 8, dtype=torch.bfloat16)).float().pow(2).mean()).backward()
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()


class MasterSGD(torch.optim.Optimizer):
    """Weights in bfloat16, a float32 copy of each in the state."""

    def __init__(self, params):
        super().__init__(params, {})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state["master"] = p.detach().float().clone()
                    state["momentum"] = torch.zeros_like(p)
                state["master"].sub_(p.grad.float(), alpha=0.1)
                p.copy_(state["master"])


def masters_in_the_state(seen):
    model = Net().bfloat16()
    optimizer = MasterSGD(model.parameters())
    seen(model, optimizer)
    steps(model, optimizer, torch.bfloat16)


def masters_of_its_own(seen):
    model = Net().half()
    masters = [p.detach().clone().float().requires_grad_() for p in model.parameters()]
    optimizer = torch.optim.Adam(masters)
    seen(model, optimizer)
    for _ in range(2):
        model(torch.randn(2, 3, 8).half()).float().pow(2).mean().backward()
        for master, p in zip(masters, model.parameters(), strict=True):
            master.grad = p.grad.float()
            p.grad = None
        optimizer.step()
        with torch.no_grad():
            for master, p in zip(masters, model.parameters(), strict=True):
                p.copy_(master)


def norms_in_float32(seen):
    model = Net().bfloat16()
    for module in model.modules():
        if isinstance(module, nn.LayerNorm):
            module.float()
    optimizer = torch.optim.AdamW(model.parameters())
    seen(model, optimizer)
    steps(model, optimizer, torch.bfloat16)


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10, 8)
        self.head = nn.Linear(8, 10, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids):
        return self.head(self.embed(ids))


def tied(seen):
    model = Tied().bfloat16()
    optimizer = torch.optim.AdamW(model.parameters())
    seen(model, optimizer)
    for _ in range(2):
        model(torch.zeros(2, 3, dtype=torch.long)).float().mean().backward()
        optimizer.step()
        optimizer.zero_grad()


def frozen_encoder(seen):
    encoder = Net().half().requires_grad_(False).eval()
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters())
    seen(model, optimizer)
    seen(encoder)
    for _ in range(2):
        with torch.no_grad():
            hidden = encoder(torch.randn(2, 3, 8).half())
        model(torch.cat([hidden, hidden], -1).float()).pow(2).mean().backward()
        optimizer.step()
        optimizer.zero_grad()


def compiled(seen):
    model = Net().bfloat16()
    optimizer = torch.optim.AdamW(model.parameters())
    seen(model, optimizer)
    steps(torch.compile(model, backend="eager"), optimizer, torch.bfloat16)


def written_out(seen):
    model = Net(attention=Eager).bfloat16()
    seen(model)
    with torch.no_grad():
        model(torch.randn(2, 3, 8).bfloat16())


class Adapter(nn.Module):
    """A low-rank float32 adapter beside a half layer, as in PEFT."""

    def __init__(self, base):
        super().__init__()
        self.base = base
        self.down = nn.Linear(base.in_features, 2, bias=False)
        self.up = nn.Linear(2, base.out_features, bias=False)

    def forward(self, x):
        return self.base(x) + self.up(self.down(x.float())).to(x.dtype)


def adapters(seen):
    model = Net().half().requires_grad_(False)
    for block in model.layers:
        block.attention.qkv = Adapter(block.attention.qkv)
        block.attention.out = Adapter(block.attention.out)
    optimizer = torch.optim.AdamW(p for p in model.parameters() if p.requires_grad)
    seen(model, optimizer)
    steps(model, optimizer, torch.float16)


class EightBit(torch.optim.Optimizer):
    """Moments in uint8 with their largest numbers beside them, as bitsandbytes keeps them."""

    def __init__(self, params):
        super().__init__(params, {})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state["step"] = 0
                    state["state1"] = torch.zeros_like(p, dtype=torch.uint8)
                    state["absmax1"] = torch.zeros(1)
                p.sub_(p.grad, alpha=0.1)


def eight_bit_states(seen):
    model = Net()
    optimizer = EightBit(model.parameters())
    seen(model, optimizer)
    steps(model, optimizer)


def accumulated(seen):
    model = Net().bfloat16()
    optimizer = torch.optim.SGD(model.parameters())
    seen(model, optimizer)
    for _ in range(2):
        model(torch.randn(2, 3, 8).bfloat16()).float().mean().backward()
    optimizer.step()


def main_gradients(seen):
    model = Net().bfloat16()
    for p in model.parameters():
        p.main_grad = torch.zeros_like(p, dtype=torch.float32)
    optimizer = torch.optim.SGD(model.parameters())
    seen(model, optimizer)
    for _ in range(2):
        model(torch.randn(2, 3, 8).bfloat16()).float().mean().backward()
        for p in model.parameters():
            p.main_grad.add_(p.grad)
    optimizer.step()


def recomputed(seen):
    from torch.utils.checkpoint import checkpoint

    model = Net()
    optimizer = torch.optim.AdamW(model.parameters())
    seen(model, optimizer)
    for _ in range(2):
        with torch.autocast("cpu", torch.bfloat16):
            hidden = checkpoint(model.layers, torch.randn(2, 3, 8), use_reentrant=False)
            out = model.head(hidden)
        out.float().mean().backward()
        optimizer.step()
        optimizer.zero_grad()


def only_run(seen):
    model = Net().eval()
    seen(model)
    model(torch.randn(2, 3, 8))


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, bias=False)
        self.norm = nn.BatchNorm2d(4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        x = self.norm(self.conv(x)).mean((2, 3))
        return {"loss": self.head(x).float().mean(), "logits": self.head(x)}


def convolutions(seen):
    model = Convolutions()
    optimizer = torch.optim.SGD(model.parameters(), momentum=0.9)
    seen(model, optimizer)
    for _ in range(2):
        with torch.autocast("cpu", torch.bfloat16):
            out = model(torch.randn(2, 3, 8, 8))
        out["loss"].backward()
        optimizer.step()
        optimizer.zero_grad()


def an_island(seen):
    """A head that is taken out of the region."""
    model = Net()
    plain = model.head.forward

    def outside(x):
        with torch.autocast("cpu", enabled=False):
            return plain(x.float())

    model.head.forward = outside
    optimizer = torch.optim.AdamW(model.parameters())
    seen(model, optimizer)
    steps(model, optimizer, region=torch.autocast("cpu", torch.bfloat16))


def converted_later(seen):
    """A look at the model in float32, then training in bfloat16 of a copy that is wrapped."""
    model = Net()
    seen(model)
    with torch.no_grad():
        model(torch.randn(2, 3, 8))
    trained = nn.Sequential(Net())
    trained[0].load_state_dict(model.state_dict())
    trained.bfloat16()
    optimizer = torch.optim.AdamW(trained.parameters())
    seen(trained, optimizer)
    steps(trained, optimizer, torch.bfloat16)


def compressed_reduction(seen):
    """DistributedDataParallel, whose hook sends float16."""
    from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import (
        fp16_compress_hook,
    )

    _ranked(seen, fp16_compress_hook)


def reduction(seen):
    from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook

    _ranked(seen, allreduce_hook)


def _ranked(seen, hook):
    with tempfile.TemporaryDirectory() as folder:
        where = f"file://{os.path.join(folder, 'store')}"
        dist.init_process_group("gloo", init_method=where, rank=0, world_size=1)
        try:
            model = nn.parallel.DistributedDataParallel(Net())
            model.register_comm_hook(None, hook)
            optimizer = torch.optim.AdamW(model.parameters())
            seen(model, optimizer)
            steps(model, optimizer)
        finally:
            dist.destroy_process_group()


PROGRAMS = (
    plain_float32, half, autocast_bfloat16, scaled_float16, scaler_switched_off, masters_in_the_state,
    masters_of_its_own, norms_in_float32, tied, frozen_encoder, compiled, written_out, adapters, eight_bit_states,
    accumulated, main_gradients, recomputed, only_run, convolutions, an_island, converted_later, compressed_reduction,
    reduction,
)  # fmt: skip
