"""Compare a policy with the same model converted by hand: `python benchmarks/policy_models.py [cuda]`.

Models of each kind under five policies. The output and every gradient are compared, bit for bit and in dtype, with the
same model converted by hand or under `torch.autocast`. If that does not run either (a kernel that the CPU lacks), the
policy must fail alike. On a CPU it writes to docs/accuracy.md. Exit code 1 if one differs.
"""

from __future__ import annotations

import copy
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

# ruff: noqa: E402 - imports follow the path
import page
import torch
from torch import nn

import miscast
from models import tiny

POLICIES = {
    "64-true": torch.float64,
    "bf16-true": torch.bfloat16,
    "16-true": torch.float16,
    "bf16-mixed": torch.bfloat16,
    "16-mixed": torch.float16,
}
AS_THEY_ARE = ("timestep", "img_ids", "txt_ids", "time_ids")
"""What a program does not convert, though it is float."""
IDS = torch.tensor([[0, 5, 7, 9, 11, 49]])


class Residual(nn.Module):
    """A block of a ResNet."""

    def __init__(self, width: int) -> None:
        """Of so many channels."""
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The same shape."""
        return torch.relu(x + self.norm(self.conv(x)))


class Recurrent(nn.Module):
    """An LSTM over embeddings."""

    def __init__(self) -> None:
        """Of 50 words."""
        super().__init__()
        self.embed, self.lstm, self.head = nn.Embedding(50, 8), nn.LSTM(8, 8, batch_first=True), nn.Linear(8, 4)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Of `(batch, seq)` words `(batch, seq, 4)` scores."""
        return self.head(self.lstm(self.embed(ids))[0])


class Attending(nn.Module):
    """torch's own attention, and a norm."""

    def __init__(self) -> None:
        """With two heads."""
        super().__init__()
        self.attention, self.norm = nn.MultiheadAttention(8, 2, batch_first=True), nn.LayerNorm(8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The same shape."""
        return self.norm(x + self.attention(x, x, x, need_weights=False)[0])


def residual_net() -> nn.Module:
    """Stem, blocks, head."""
    blocks = (Residual(8), Residual(8), nn.AdaptiveAvgPool2d(1), nn.Flatten())
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), *blocks, nn.Linear(8, 4))


def perceptron() -> nn.Module:
    """Linear layers with a norm between them."""
    return nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4))


@dataclass(frozen=True, kw_only=True)
class Case:
    """A model and what it is called with."""

    build: Callable[[], nn.Module]
    inputs: Callable[[], dict[str, Any]]
    """Floats in float32, as data comes; under "" the positional one."""
    float32: tuple[str, ...] = ()
    """Parts that its authors keep in float32 where the rest is float16."""


def _latents(**more: Any) -> dict[str, Any]:
    return {"": torch.randn(1, 4, 8, 8), **more}


def _hidden() -> torch.Tensor:
    return torch.randn(1, 6, 16)


def _ids(**more: Any) -> dict[str, Any]:
    return {"input_ids": IDS, **more}


def _pixels(**more: Any) -> dict[str, Any]:
    return {"pixel_values": torch.randn(1, 3, 8, 8), **more}


def _flux() -> dict[str, Any]:
    return {
        "hidden_states": torch.randn(1, 4, 4),
        "encoder_hidden_states": _hidden(),
        "pooled_projections": torch.randn(1, 16),
        "timestep": torch.tensor([0.5]),
        "img_ids": torch.zeros(4, 3),
        "txt_ids": torch.zeros(6, 3),
        "guidance": torch.tensor([3.5]),
    }


def _patches() -> dict[str, Any]:
    ids = torch.tensor([[0, 46, 48, 48, 48, 48, 47, 9]])
    grid = torch.tensor([[1, 4, 4]])
    kinds = (ids == 48).int()
    return {"input_ids": ids, "pixel_values": torch.randn(16, 96), "image_grid_thw": grid, "mm_token_type_ids": kinds}


def _unet_xl() -> dict[str, Any]:
    added = {"text_embeds": torch.randn(1, 16), "time_ids": torch.tensor([[16.0, 16, 0, 0, 16, 16]])}
    return _latents(timestep=torch.tensor([981]), encoder_hidden_states=_hidden(), added_cond_kwargs=added)


def _timed(**more: Any) -> dict[str, Any]:
    return _latents(timestep=torch.tensor([981]), encoder_hidden_states=_hidden(), **more)


def _control() -> dict[str, Any]:
    return _timed(controlnet_cond=torch.randn(1, 3, 16, 16), conditioning_scale=1.0)


CASES = {
    "perceptron": Case(build=perceptron, inputs=lambda: {"": torch.randn(2, 8)}),
    "residual net": Case(build=residual_net, inputs=lambda: {"": torch.randn(2, 3, 8, 8)}),
    "LSTM": Case(build=Recurrent, inputs=lambda: {"": IDS}),
    "MultiheadAttention": Case(build=Attending, inputs=lambda: {"": torch.randn(2, 5, 8)}),
    "GPT-2": Case(build=tiny.gpt2, inputs=_ids),
    "Llama": Case(build=tiny.llama, inputs=_ids),
    "Mixtral": Case(build=tiny.mixtral, inputs=_ids),
    "Mamba": Case(build=tiny.mamba, inputs=_ids),
    "BERT": Case(build=tiny.bert, inputs=lambda: _ids(attention_mask=torch.tensor([[1, 1, 1, 1, 0, 0]]))),
    "T5": Case(build=tiny.t5, inputs=lambda: _ids(decoder_input_ids=IDS), float32=("wo",)),
    "ViT": Case(build=tiny.vit, inputs=_pixels),
    "CLIP": Case(build=tiny.clip, inputs=lambda: _pixels(input_ids=IDS)),
    "Whisper": Case(
        build=tiny.whisper, inputs=lambda: {"input_features": torch.randn(1, 8, 20), "decoder_input_ids": IDS}
    ),
    "LLaVA": Case(
        build=tiny.llava, inputs=lambda: _pixels(input_ids=torch.tensor([[0, 48, 48, 48, 48, 7, 9]]))
    ),
    "Qwen2-VL": Case(build=tiny.qwen2_vl, inputs=_patches),
    "UNet (SD 1)": Case(build=tiny.unet, inputs=_timed),
    "UNet (SDXL)": Case(build=tiny.unet_xl, inputs=_unet_xl),
    "ControlNet": Case(build=tiny.controlnet, inputs=_control),
    "VAE": Case(build=tiny.vae, inputs=lambda: {"": torch.randn(1, 3, 16, 16)}),
    "SD3": Case(
        build=tiny.sd3,
        inputs=lambda: _latents(
            timestep=torch.tensor([981.0]), encoder_hidden_states=_hidden(), pooled_projections=torch.randn(1, 16)
        ),
    ),
    "Flux": Case(build=tiny.flux, inputs=_flux),
    "PixArt": Case(build=tiny.pixart, inputs=_timed),
    "DiT": Case(
        build=tiny.dit, inputs=lambda: _latents(timestep=torch.tensor([981]), class_labels=torch.tensor([3]))
    ),
}


def moved(value: Any, device: str) -> Any:
    """Inputs on the device."""
    if isinstance(value, dict):
        return {key: moved(each, device) for key, each in value.items()}
    return value.to(device) if isinstance(value, torch.Tensor) else value


def converted(value: Any, dtype: torch.dtype, name: str = "") -> Any:
    """An input as a careful program hands it over."""
    if isinstance(value, dict):
        return {key: converted(each, dtype, key) for key, each in value.items()}
    if isinstance(value, torch.Tensor) and value.is_floating_point() and name not in AS_THEY_ARE:
        return value.to(dtype)
    return value


def by_hand(model: nn.Module, dtype: torch.dtype, float32: tuple[str, ...]) -> nn.Module:
    """The model in a dtype, but for what must not be rounded: statistics, rotary frequencies, its authors' list."""
    for path, module in model.named_modules():
        statistics = isinstance(module, nn.BatchNorm2d) and dtype.itemsize == 2
        if statistics or (dtype == torch.float16 and path.rpartition(".")[2] in float32):
            continue
        for parameter in module.parameters(recurse=False):
            parameter.data = parameter.data.to(dtype)
        for name, buffer in module.named_buffers(recurse=False):
            if buffer.is_floating_point() and not name.endswith("inv_freq"):
                setattr(module, name, buffer.to(dtype))
    return model


def floats(output: Any) -> list[torch.Tensor]:
    """What a model hands out that depends on its weights."""
    if isinstance(output, torch.Tensor):
        return [output] if output.requires_grad else []
    values = output.values() if hasattr(output, "values") else output if isinstance(output, (list, tuple)) else ()
    return [found for value in values for found in floats(value)]


def ran(
    model: nn.Module, given: dict[str, Any], autocast: torch.dtype | None, device: str
) -> list[torch.Tensor | None] | str:
    """Outputs, then gradients by parameter; or the kind of error where it does not run."""
    torch.manual_seed(2)
    positional = [value for name, value in given.items() if not name]
    named = {name: value for name, value in given.items() if name}
    try:
        with torch.autocast(device, autocast or torch.bfloat16, enabled=autocast is not None):
            outputs = floats(model(*positional, **named))
        sum(output.float().square().mean() for output in outputs).backward()
    except (RuntimeError, TypeError) as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return [*(output.detach() for output in outputs), *(parameter.grad for parameter in model.parameters())]


def same(ours: list[torch.Tensor | None] | str, theirs: list[torch.Tensor | None] | str) -> bool:
    """Whether all is of one dtype and the same bits; infinities and NaN included."""
    if isinstance(ours, str) or isinstance(theirs, str):
        return isinstance(ours, str) and isinstance(theirs, str)
    if len(ours) != len(theirs):
        return False
    pairs = zip(ours, theirs, strict=True)
    return all((a is None and b is None) or (a is not None and b is not None and _bits(a, b)) for a, b in pairs)


def _bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.dtype == b.dtype and torch.equal(
        a.contiguous().flatten().view(torch.uint8), b.contiguous().flatten().view(torch.uint8)
    )


def judged(case: Case, policy: str, device: str = "cpu") -> str:
    """How the two went: "same", "neither runs", "differs", or "not repeatable" if it is so by hand."""
    dtype, mixed = POLICIES[policy], policy.endswith("mixed")
    torch.manual_seed(0)
    plain = case.build().train().to(device)
    ours = copy.deepcopy(plain)
    torch.manual_seed(1)
    given = moved(case.inputs(), device)
    miscast.apply(ours, policy)
    found = ran(ours, given, None, device)

    def right() -> list[torch.Tensor | None] | str:
        if mixed:
            return ran(copy.deepcopy(plain), given, dtype, device)
        return ran(by_hand(copy.deepcopy(plain), dtype, case.float32), converted(given, dtype), None, device)

    expected = right()
    if not same(found, expected):
        if not same(expected, right()):
            return "not repeatable"
        for which, what in (("policy", found), ("by hand", expected)):
            if isinstance(what, str):
                print(f"  {which}: {what}", file=sys.stderr)
        return "differs"
    return "neither runs" if isinstance(found, str) else "same"


def main() -> int:
    """Judge all, print, and write the page."""
    device = (sys.argv[1:] or ["cpu"])[0]
    warnings.simplefilter("ignore")
    if device != "cpu":  # what adds up in any order gives other bits each time, by hand, too
        torch.use_deterministic_algorithms(mode=True, warn_only=True)
    torch.set_num_threads(1)
    lines = [f"| model | {' | '.join(f'`{policy}`' for policy in POLICIES)} |", "|---" * (len(POLICIES) + 1) + "|"]
    verdicts: list[str] = []
    for name, case in CASES.items():
        row = [judged(case, policy, device) for policy in POLICIES]
        verdicts += row
        lines.append(f"| {name} | {' | '.join(row)} |")
        print(lines[-1], file=sys.stderr, flush=True)
    count, differ, neither = len(verdicts), verdicts.count("differs"), verdicts.count("neither runs")
    other = verdicts.count("not repeatable")
    text = (
        f"Measured {page.today()}, torch {torch.__version__}"
        f"{f', {torch.cuda.get_device_name()}' if device != 'cpu' else ''}: of {count} pairs of {len(CASES)} models "
        f"and {len(POLICIES)} policies, {verdicts.count('same')} give the same bits in every output and gradient, "
        f"{differ} differ, {neither} run neither way{f', {other} give other bits each time by hand' * bool(other)}."
    )
    print("\n".join([text, "", *lines]))
    if device == "cpu":
        page.write("make bench-policy_models", text)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
