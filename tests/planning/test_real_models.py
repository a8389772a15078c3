"""Each precision that a plan may give to a model of diffusers and transformers: it runs, and holds what was said."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch

from miscast import Policy, apply
from miscast.core.machines import find
from miscast.planning.fitting.candidate import Candidate, VirtualFit
from miscast.planning.fitting.virtual import Virtual
from miscast.planning.point import Budget
from miscast.planning.section import Plan
from miscast.running.program.run import run_callable

pytest.importorskip("diffusers")
pytest.importorskip("transformers")
sys.path.insert(0, str(Path(__file__).parents[1] / "models"))
import tiny

HALF = {half: Candidate(precisions={"model": half}) for half in ("bf16-mixed", "bf16-true", "16-mixed", "16-true")}
CANDIDATES = {"32-true": Candidate(), **HALF, "checkpointing": Candidate(checkpointing=True)}
QUICK = ("bf16-mixed", "bf16-true")
ROUNDED = 512  # bytes, of each tensor, as CUDA's allocator hands them out


def ids(device):
    return torch.arange(2, 10, device=device).view(1, 8)


def unet(model, device):
    noisy = torch.randn(1, 4, 8, 8, device=device)
    return model(noisy, torch.tensor([5], device=device), torch.randn(1, 8, tiny.CONTEXT, device=device)).sample


def decoded(model, device):
    return model(torch.randn(1, 3, 16, 16, device=device)).sample


def image(model, device):
    return model(torch.randn(1, 3, 8, 8, device=device)).last_hidden_state


def text(model, device):
    return model(ids(device)).last_hidden_state


def causal(model, device):
    return model(ids(device), labels=ids(device)).loss


MODELS = {
    "UNet2DConditionModel": (tiny.unet, unet),
    "AutoencoderKL": (tiny.vae, decoded),
    "CLIPTextModel": (tiny.clip_text, text),
    "ViTModel": (tiny.vit, image),
    "LlamaForCausalLM": (tiny.llama, causal),
    "MixtralForCausalLM": (tiny.mixtral, causal),
    "T5EncoderModel": (tiny.t5_encoder, text),
    "T5ForConditionalGeneration": (tiny.t5, causal),
}


def train(build, forward, device, policy=None):
    """The model, its optimizer, and the losses of two steps."""
    torch.manual_seed(0)
    model = build().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, eps=1e-6)
    if policy is not None:
        apply({"model": model}, policy)
    losses = []
    for _ in range(2):
        loss = forward(model, device).float().pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss)
    return model, optimizer, losses


def held(tensors):
    """Bytes."""
    sizes = {one.data_ptr(): one.untyped_storage().nbytes() for one in tensors if one.numel()}
    return sum(-(-size // ROUNDED) * ROUNDED for size in sizes.values())


def cases():
    for name in MODELS:
        for title in CANDIDATES:
            yield pytest.param(name, title, marks=() if title in QUICK else pytest.mark.slow)


@pytest.mark.parametrize(("name", "title"), cases())
def test_a_candidate_runs_and_its_policy_holds_for_real_what_it_held(name, title):
    candidate = CANDIDATES[title]
    fit = Virtual(VirtualFit(candidate=candidate, steps=2))
    trace, _ = run_callable(lambda: train(*MODELS[name], "cuda"), (), {}, find("a100"), watch=fit.begin)
    assert trace.failed is None
    assert not [call for call in trace.calls if not call.hidden and call.violation.kind != "lossy"]
    (component,) = fit.shown()["components"]
    assert (component["name"], component["kind"], component["refused"]) == ("model", name, "")

    policy = Policy.from_toml(candidate.policy().to_toml())
    model, optimizer, losses = train(*MODELS[name], "cpu", policy)
    assert losses[0].isfinite()
    # an epsilon of Adam is lost in float16: that is for a plan's measured error
    assert losses[1].isfinite() or title == "16-true"
    (memory,) = [one for one in trace.memory if one.device == "cuda:0"]
    assert memory.parameters == held(model.parameters())
    states = [one for state in optimizer.state.values() for one in state.values() if one.dim()]
    assert memory.optimizer == held(states)


def test_adapters_stay_in_float32_above_a_half_base_and_the_report_says_so():
    peft = pytest.importorskip("peft")

    def trained():
        model = peft.get_peft_model(tiny.llama(), peft.LoraConfig(r=4, target_modules=["q_proj"])).to("cuda")
        causal(model, "cuda").backward()
        whole.append({one.dtype for one in model.parameters() if not one.requires_grad})
        parts.append({one.dtype for one in model.parameters() if one.requires_grad})

    whole, parts = [], []
    fit = Virtual(VirtualFit(candidate=HALF["bf16-true"], steps=1))
    trace, _ = run_callable(trained, (), {}, find("a100"), watch=fit.begin)
    assert trace.failed is None
    assert whole == [{torch.bfloat16}]
    assert parts == [{torch.float32}]
    (component,) = fit.shown()["components"]
    assert component["adapters"]
    plan = Plan(
        machine="a100", capacity=1, budget=Budget(memory=1, error=1.0), measured=False,
        components=[component], points=(), chosen=None, nearest=None, rates="",
    )  # fmt: skip
    said = " ".join(line.plain.strip() for line in plan.lines(80))
    assert f"{component['updated']:,} of them trained (adapters, unchanged)" in " ".join(said.split())
