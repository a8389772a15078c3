"""Compare a mixed policy with `torch.autocast` on convolutional models: `python benchmarks/policy_convolutions.py`.

Time of forward and backward on one core of the CPU, as the ratio of one model's turns with the policy and with
autocast, and the bytes that autograd keeps in between. Writes to docs/accuracy.md. Exit code 1 if a goal is missed;
`--quick` runs fewer rounds and writes nothing.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import diffusers
import page
import torch
import transformers
from here import conditions
from torch import nn

import miscast

GOAL = 1.01
Run = Callable[[nn.Module], torch.Tensor]


def resnet() -> tuple[nn.Module, Run]:
    """A ResNet of 3 stages, 96 × 96 pixels."""
    torch.manual_seed(0)
    config = transformers.ResNetConfig(
        embedding_size=32, hidden_sizes=[64, 128, 256], depths=[2, 2, 2], layer_type="basic", num_labels=10
    )
    images = torch.randn(32, 3, 96, 96)
    model = transformers.ResNetForImageClassification(config).train()
    return model, lambda net: net(pixel_values=images).logits.float().square().mean()


def convnext() -> tuple[nn.Module, Run]:
    """A ConvNeXt of 4 stages, 96 × 96 pixels."""
    torch.manual_seed(0)
    config = transformers.ConvNextConfig(hidden_sizes=[32, 64, 128, 256], depths=[2, 2, 4, 2], num_labels=10)
    images = torch.randn(32, 3, 96, 96)
    model = transformers.ConvNextForImageClassification(config).train()
    return model, lambda net: net(pixel_values=images).logits.float().square().mean()


def unet() -> tuple[nn.Module, Run]:
    """A UNet with cross attention, 32 × 32 latents."""
    torch.manual_seed(0)
    model = diffusers.UNet2DConditionModel(
        sample_size=32,
        block_out_channels=(32, 64, 96),
        layers_per_block=1,
        norm_num_groups=8,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=64,
        attention_head_dim=8,
    ).train()
    latents, hidden, timestep = torch.randn(6, 4, 32, 32), torch.randn(6, 16, 64), torch.tensor([981] * 6)
    return model, lambda net: net(latents, timestep, hidden).sample.float().square().mean()


def vae() -> tuple[nn.Module, Run]:
    """A variational autoencoder, 64 × 64 pixels."""
    torch.manual_seed(0)
    model = diffusers.AutoencoderKL(
        block_out_channels=(32, 64, 96),
        norm_num_groups=8,
        down_block_types=("DownEncoderBlock2D",) * 3,
        up_block_types=("UpDecoderBlock2D",) * 3,
        sample_size=64,
    ).train()
    images = torch.randn(8, 3, 64, 64)
    return model, lambda net: net(images).sample.float().square().mean()


MODELS = {"ResNet": resnet, "ConvNeXt": convnext, "UNet": unet, "VAE": vae}


def seconds(net: nn.Module, run: Run, *, autocast: bool) -> float:
    """CPU seconds of forward and backward."""
    net.zero_grad(set_to_none=True)
    begin = time.process_time()
    with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        loss = run(net)
    loss.backward()
    return time.process_time() - begin


def activations(net: nn.Module, run: Run, *, autocast: bool) -> int:
    """The bytes that autograd keeps for the backward, without the weights."""
    own = {parameter.untyped_storage().data_ptr() for parameter in net.parameters()}
    kept: dict[int, torch.UntypedStorage] = {}  # held on to, so that no address comes twice

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage
        return tensor

    with (
        torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor),
        torch.autocast("cpu", torch.bfloat16, enabled=autocast),
    ):
        run(net)
    return sum(storage.nbytes() for storage in kept.values())


def measured(name: str, rounds: int) -> tuple[float, float, float, int]:
    """The median ratio of seconds, that of the fastest steps, the ratio of bytes, and the hooked modules.

    Turn by turn on one model; who begins changes each round.
    """
    net, run = MODELS[name]()
    handle = miscast.apply(net, "bf16-mixed")
    hooked, size = len(handle.boundaries), activations(net, run, autocast=False)
    handle.remove()
    size_ratio = size / activations(net, run, autocast=True)
    times: tuple[list[float], list[float]] = ([], [])

    def ours() -> None:
        handle = miscast.apply(net, "bf16-mixed")
        times[0].append(seconds(net, run, autocast=False))
        handle.remove()

    def theirs() -> None:
        times[1].append(seconds(net, run, autocast=True))

    for turn in range(rounds + 1):
        for side in (ours, theirs) if turn % 2 else (theirs, ours):
            side()
    policy, autocast = (found[1:] for found in times)
    print(f"{name}: {policy[-1]:.2f} s, {autocast[-1]:.2f} s", file=sys.stderr, flush=True)
    median = statistics.median(a / b for a, b in zip(policy, autocast, strict=True))
    return median, min(policy) / min(autocast), size_ratio, hooked


def main() -> int:
    """Measure, print, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=40)
    given = parser.parse_args()
    torch.set_num_threads(1)
    where = (
        f"{conditions()}, median of the rounds. Activations are the bytes that autograd keeps.\n"
    )
    lines = [
        where,
        "| `bf16-mixed` ÷ `torch.autocast` | time | fastest ÷ fastest | activations | hooks | goal | |",
        "|---|---|---|---|---|---|---|",
    ]
    reached, found = True, []
    for name in MODELS:
        found.append(measured(name, 4 if given.quick else given.rounds))
        ratio, fastest, size, hooked = found[-1]
        good = ratio <= GOAL and size <= GOAL
        reached = reached and good
        lines.append(
            f"| {name} | {ratio:.3f} | {fastest:.3f} | {size:.3f} | {hooked} | ≤ {GOAL:.2f} | "
            f"{'reached' if good else 'missed'} |"
        )
    print("\n".join(lines))
    if not given.quick:
        times, sizes = [one[0] for one in found], [one[2] for one in found]
        text = (
            f"{where.strip()} {', '.join(MODELS)}: {min(times):.3f} to {max(times):.3f} times the time and "
            f"{min(sizes):.3f} to {max(sizes):.3f} times the activations of `torch.autocast` (goal: ≤ {GOAL:.2f})."
        )
        page.write("make bench-policy_convolutions", text)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
