"""The programs that are measured, as a user would write them; `device` is where their tensors live."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

SDXL: dict[str, Any] = {
    "sample_size": 128,
    "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
    "up_block_types": ("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
    "block_out_channels": (320, 640, 1280),
    "transformer_layers_per_block": (1, 2, 10),
    "attention_head_dim": (5, 10, 20),
    "cross_attention_dim": 2048,
    "use_linear_projection": True,
    "addition_embed_type": "text_time",
    "addition_time_embed_dim": 256,
    "projection_class_embeddings_input_dim": 2816,
}
LLAMA_70B: dict[str, Any] = {
    "hidden_size": 8192,
    "intermediate_size": 28672,
    "num_hidden_layers": 80,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 8192,
}


@contextmanager
def default_dtype(dtype: torch.dtype) -> Iterator[None]:
    """New parameters have `dtype`."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def sdxl(device: str) -> Callable[[], None]:
    """SDXL's UNet in float16 at 1024 x 1024 pixels; the function returned runs one forward and backward pass."""
    from diffusers import UNet2DConditionModel

    with default_dtype(torch.float16), torch.device(device):
        unet: Any = UNet2DConditionModel(**SDXL)  # type: ignore[no-untyped-call]

    def step() -> None:
        half: dict[str, Any] = {"device": device, "dtype": torch.float16}
        added = {"text_embeds": torch.empty(1, 1280, **half), "time_ids": torch.empty(1, 6, **half)}
        out = unet(
            torch.empty(1, 4, 128, 128, **half),
            torch.empty(1, device=device, dtype=torch.int64),
            torch.empty(1, 77, 2048, **half),
            added_cond_kwargs=added,
        ).sample
        out.float().mean().backward()
        unet.zero_grad(set_to_none=True)

    return step


def llama() -> int:
    """Build Llama-70B in bfloat16 and train it for one step. Returns the number of parameters."""
    from transformers import LlamaConfig, LlamaForCausalLM

    with default_dtype(torch.bfloat16):
        model: Any = LlamaForCausalLM(LlamaConfig(**LLAMA_70B))
    model.to("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    tokens = torch.zeros(1, 4096, dtype=torch.int64, device="cuda")
    model(input_ids=tokens, labels=tokens).loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return sum(p.numel() for p in model.parameters())


def small_ops(count: int) -> None:
    """`count` ops on small tensors, in a chain of arithmetic, casts and promotions that goes on and on."""
    x = torch.zeros(8, 8, device="cuda")
    weight = torch.zeros(8, 8, device="cuda")
    for _ in range(count // 8):
        x = torch.relu(x + weight) @ weight
        x = x.half() * 0.5
        x = (x + weight).sub_(weight)
        x = x[:8]


def training(after: Callable[[int], None], steps: int) -> None:
    """Mixed-precision training of a small model on numpy arrays; `after(step)` is called when a step is done."""
    import numpy as np

    images = np.zeros((64, 3, 16, 16), dtype=np.float32)
    labels = np.zeros(64, dtype=np.int64)
    model: Any = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.GroupNorm(4, 8), nn.SiLU(), nn.Flatten(), nn.Linear(2048, 10)
    ).to("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cuda")
    pairs: Any = [(torch.from_numpy(images[i]), int(labels[i])) for i in range(64)]
    loader: Any = torch.utils.data.DataLoader(pairs, batch_size=8, shuffle=True)
    step = 0
    while True:
        for image, label in loader:
            optimizer.zero_grad(set_to_none=True)
            with torch.autocast("cuda", dtype=torch.float16):
                loss = nn.functional.cross_entropy(model(image.to("cuda")), label.to("cuda"))
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            loss.item()
            step += 1
            after(step)
            if step == steps:
                return


def lstm() -> Callable[[], None]:
    """A training step of a cell that goes through 500 time steps."""
    cell, head = torch.nn.LSTMCell(16, 16), torch.nn.Linear(16, 16)
    optimizer = torch.optim.Adam([*cell.parameters(), *head.parameters()])

    def step() -> None:
        x, loss = torch.randn(500, 4, 16), torch.zeros(())
        state = torch.zeros(4, 16), torch.zeros(4, 16)
        for now in x:
            state = cell(now, state)
            loss = loss + (head(state[0]) - now).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def graphs() -> Callable[[], None]:
    """Training steps of a network that passes messages, on 50 small graphs."""
    layers = torch.nn.ModuleList(torch.nn.Linear(8, 8) for _ in range(4))
    optimizer = torch.optim.Adam(layers.parameters())
    source, target = torch.randint(0, 20, (60,)), torch.randint(0, 20, (60,))

    def step() -> None:
        for _ in range(50):
            x = torch.randn(20, 8)
            for layer in layers:
                sums = torch.zeros_like(x).index_add_(0, target, layer(x)[source])
                degrees = torch.zeros(20).scatter_add_(0, target, torch.ones(60)).clamp(min=1)
                x = torch.relu(sums / degrees[:, None] + x)
            x.mean().backward()
            optimizer.step()
            optimizer.zero_grad()

    return step


def policy() -> Callable[[], None]:
    """Five episodes of a policy gradient, 200 moves each."""
    net = torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.Tanh(), torch.nn.Linear(32, 2))
    optimizer = torch.optim.Adam(net.parameters())

    def step() -> None:
        for _ in range(5):
            seen, chances = [0.0] * 4, []
            for move in range(200):
                p = torch.softmax(net(torch.tensor(seen)), -1)
                chances.append(torch.log(p[torch.multinomial(p, 1)[0]]))
                seen = [one + 0.01 * move for one in seen]
            returns = torch.linspace(1, 0, 200).flip(0).cumsum(0).flip(0)
            loss = -(torch.stack(chances) * (returns - returns.mean()) / (returns.std() + 1e-6)).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    return step
