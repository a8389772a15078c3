"""Compare forecasts of steps with real steps on this CPU: `python benchmarks/plan.py`.

Twenty models in training, each in float32, under bfloat16 autocast, and in bfloat16 throughout. The forecast counts
kernels on the virtual machine and takes rates from a two-second calibration; the real time is the CPU time of one
thread, the fastest of three or more steps. What counts is the order: Spearman's rank correlation, and the order of each
model's precisions. Writes to docs/accuracy.md; `--no-write` only prints.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src")]

# ruff: noqa: E402 - imports follow the path
import page
import torch
import torch.nn.functional as F  # noqa: N812 - everybody calls it so
from calibration import calibrated
from here import conditions
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook

from miscast.core.machines import find
from miscast.planning.forecast.forecast import forecast
from miscast.planning.forecast.meter import Meter
from miscast.running.program.run import run_callable

PRECISIONS = ("32-true", "bf16-mixed", "bf16-true")
Model = tuple[nn.Module, Callable[[], torch.Tensor]]


def perceptron(width: int, depth: int, batch: int) -> Model:
    layers = [part for _ in range(depth) for part in (nn.Linear(width, width), nn.GELU())]
    return nn.Sequential(*layers), lambda: torch.randn(batch, width)


def convolutional(width: int, side: int, batch: int) -> Model:
    def block(a: int, b: int) -> nn.Sequential:
        return nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.GroupNorm(4, b), nn.SiLU())

    net = nn.Sequential(block(4, width), block(width, width), block(width, width), nn.Conv2d(width, 4, 1))
    return net, lambda: torch.randn(batch, 4, side, side)


def depthwise(width: int, side: int) -> Model:
    net = nn.Sequential(
        nn.Conv2d(width, width, 5, padding=2, groups=width), nn.Conv2d(width, 2 * width, 1), nn.GELU(),
        nn.Conv2d(2 * width, width, 1),
    )  # fmt: skip
    return net, lambda: torch.randn(2, width, side, side)


def encoder(width: int, layers: int, length: int) -> Model:
    layer = nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, batch_first=True)
    return nn.TransformerEncoder(layer, layers), lambda: torch.randn(2, length, width)


class Head(nn.Module):
    """A language model of transformers' with the ids that it wants."""

    def __init__(self, model: nn.Module) -> None:
        """Around a model of any class."""
        super().__init__()
        self.model = model

    def forward(self, _: torch.Tensor, length: int = 48) -> torch.Tensor:
        """The logits, or the last states."""
        ids = torch.arange(2 * length).reshape(2, length) % 100
        return self.model(input_ids=ids)[0]


def gpt2(width: int, layers: int) -> Model:
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(
        vocab_size=1000, n_embd=width, n_layer=layers, n_head=4, attn_pdrop=0, resid_pdrop=0, embd_pdrop=0
    )
    return Head(GPT2LMHeadModel(config)), lambda: torch.randn(1)


def llama(width: int) -> Model:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=1000, hidden_size=width, intermediate_size=2 * width, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=4,
    )  # fmt: skip
    return Head(LlamaForCausalLM(config)), lambda: torch.randn(1)


def bert(width: int) -> Model:
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=1000, hidden_size=width, intermediate_size=2 * width, num_hidden_layers=2, num_attention_heads=4,
        hidden_dropout_prob=0, attention_probs_dropout_prob=0,
    )  # fmt: skip
    return Head(BertModel(config)), lambda: torch.randn(1)


class Denoiser(nn.Module):
    """A UNet of diffusers' at one time."""

    def __init__(self, width: int) -> None:
        """Of two levels."""
        from diffusers import UNet2DModel

        super().__init__()
        self.unet = UNet2DModel(
            in_channels=4, out_channels=4, block_out_channels=(width, 2 * width), norm_num_groups=8, layers_per_block=1,
            down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"),
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The noise."""
        return self.unet(x, 3).sample


def unet(width: int, side: int) -> Model:
    return Denoiser(width), lambda: torch.randn(1, 4, side, side)


MODELS: dict[str, Callable[[], Model]] = {
    "perceptron, narrow": lambda: perceptron(64, 6, 32),
    "perceptron": lambda: perceptron(256, 4, 32),
    "perceptron, wide": lambda: perceptron(768, 3, 32),
    "perceptron, large batch": lambda: perceptron(128, 4, 512),
    "convolutions, narrow": lambda: convolutional(8, 32, 2),
    "convolutions": lambda: convolutional(32, 24, 2),
    "convolutions, wide": lambda: convolutional(64, 16, 2),
    "convolutions, large picture": lambda: convolutional(8, 96, 1),
    "depthwise": lambda: depthwise(32, 24),
    "depthwise, wide": lambda: depthwise(128, 16),
    "encoder, small": lambda: encoder(64, 2, 32),
    "encoder": lambda: encoder(128, 2, 64),
    "encoder, wide": lambda: encoder(256, 1, 64),
    "encoder, long": lambda: encoder(64, 1, 512),
    "GPT-2, small": lambda: gpt2(64, 2),
    "GPT-2": lambda: gpt2(192, 2),
    "Llama": lambda: llama(128),
    "BERT": lambda: bert(128),
    "UNet, small": lambda: unet(16, 16),
    "UNet": lambda: unet(32, 16),
}


def step_of(make: Callable[[], Model], precision: str) -> Callable[[], None]:
    """One step of training."""
    torch.manual_seed(0)
    model, inputs = make()
    dtype = torch.bfloat16 if precision == "bf16-true" else torch.float32
    model.to(dtype)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step() -> None:
        region = torch.autocast("cpu", torch.bfloat16) if precision == "bf16-mixed" else nullcontext()
        with region:
            out = model(inputs().to(dtype))
        F.mse_loss(out.float(), torch.zeros_like(out, dtype=torch.float32)).backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def forecast_of(make: Callable[[], Model], precision: str, rates: Any) -> float:
    meter = Meter("cpu")

    def program() -> None:
        step = step_of(make, precision)
        step()
        step()

    hook = register_optimizer_step_post_hook(lambda *_: meter.stepped())
    try:
        trace, _ = run_callable(program, (), {}, find("cpu"), watch=lambda vm: vm.dispatcher.meter(meter))
    finally:
        hook.remove()
    assert trace.ended is None, trace.ended
    return forecast(meter.work, rates).seconds


def real(make: Callable[[], Model], precision: str, least: int = 3) -> float:
    """The fastest step, by processor time."""
    step = step_of(make, precision)
    step()
    best, spent, rounds = float("inf"), 0.0, 0
    while rounds < least or (spent < 0.2 and rounds < 50):
        begin = time.process_time()
        step()
        took = time.process_time() - begin
        best, spent, rounds = min(best, took), spent + took, rounds + 1
    return best


def ranks(values: list[float]) -> list[float]:
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    for rank, index in enumerate(order):
        found[index] = float(rank)
    return found


def spearman(a: list[float], b: list[float]) -> float:
    x, y = ranks(a), ranks(b)
    mean = (len(x) - 1) / 2
    over = sum((p - mean) * (q - mean) for p, q in zip(x, y, strict=True))
    return over / sum((p - mean) ** 2 for p in x)


def main() -> None:
    torch.set_num_threads(1)
    said = conditions()
    rates = calibrated()
    rows, forecasts, reals, alike, pairs = [], [], [], 0, 0
    for name, make in MODELS.items():
        own = [(forecast_of(make, one, rates), real(make, one)) for one in PRECISIONS]
        cells = [f"{a * 1e3:.2f} / {b * 1e3:.2f} ms" for a, b in own]
        rows.append(f"| {name} | {' | '.join(cells)} |")
        print(rows[-1], flush=True)
        forecasts += [a for a, _ in own]
        reals += [b for _, b in own]
        for i, one in enumerate(own):
            for two in own[:i]:
                if max(one[1], two[1]) > 1.1 * min(one[1], two[1]):  # else the order is chance
                    pairs += 1
                    alike += (one[0] < two[0]) == (one[1] < two[1])
    ratios = [a / b for a, b in zip(forecasts, reals, strict=True)]
    text = f"""{said}, the fastest of at least three steps.

Rank correlation (Spearman) of {len(reals)} steps of {len(MODELS)} models: **{spearman(forecasts, reals):.3f}** (goal:
0.9). {alike} of {pairs} pairs of precisions whose steps differ by 10 % or more are forecast in the right order.
Forecast ÷ real: median {median(ratios):.2f}, from {min(ratios):.2f} to {max(ratios):.2f}."""
    print("\n".join([text, "", f"| model, forecast / real | {' | '.join(PRECISIONS)} |", "|---|---|---|---|", *rows]))
    if "--no-write" not in sys.argv:
        page.write("make bench-plan", text)


if __name__ == "__main__":
    main()
