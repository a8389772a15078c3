"""A plan in float16 says that the loss wants a scaler, and who brings it."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from miscast.core.machines import find
from miscast.planning.fitting.candidate import Candidate, VirtualFit
from miscast.planning.fitting.virtual import Virtual
from miscast.planning.scaling import halves, settings, told
from miscast.planning.spelled import spelled
from miscast.running.program.run import run_callable

COMPONENTS = (
    {"name": "unet", "kind": "UNet", "trained": True, "numbers": 9, "updated": 9, "passes": True},
    {"name": "adapter", "kind": "Adapter", "trained": False, "numbers": 9, "updated": 0, "passes": True},
    {"name": "vae", "kind": "VAE", "trained": False, "numbers": 9, "updated": 0, "passes": False},
)


@pytest.mark.parametrize(
    ("precisions", "models"),
    [
        ({"unet": "16-mixed"}, ("unet",)),
        ({"unet": "16-true", "adapter": "16-true", "vae": "16-true"}, ("unet", "adapter")),
        ({"unet": "bf16-mixed", "vae": "16-true"}, ()),
        ({}, ()),
    ],
)
def test_what_gradients_come_back_through_in_float16_wants_a_scaler(precisions, models):
    assert halves(Candidate(precisions=precisions), COMPONENTS) == models


@pytest.mark.parametrize(("program", "said"), [("on", "has one"), ("off", "is disabled"), ("none", "has none")])
def test_whether_the_program_has_one_is_told(program, said):
    line = told(("unet",), program)
    assert line.startswith("unet computes in float16")
    assert line.endswith(said)


def test_trainers_bring_their_own_or_are_told():
    mixed = spelled(Candidate(precisions={"unet": "16-mixed"}), COMPONENTS)
    lost = {name for name, one in mixed.items() if any("a loss scaler" in text for text in one.lost)}
    assert lost == {"fsdp", "fsdp2"}
    whole = Candidate(precisions={"unet": "16-true"})
    assert spelled(whole, COMPONENTS)["deepspeed"].settings["fp16"] == {"enabled": True, "loss_scale": 0}
    assert settings("lightning", whole, COMPONENTS)[1] == ("a loss scaler: 16-true does not use one",)
    assert settings("fsdp", Candidate(), COMPONENTS) == ({}, ())


@pytest.mark.parametrize(("enabled", "said"), [(True, "on"), (False, "off"), (None, "none")])
def test_a_run_shows_the_scaler_and_what_gradients_pass(enabled, said):
    def program():
        first, frozen, aside = (nn.Linear(8, 8, device="cuda") for _ in range(3))
        frozen.requires_grad_(False), aside.requires_grad_(False)
        optimizer = torch.optim.SGD(first.parameters(), lr=1e-3)
        scaler = torch.amp.GradScaler("cuda", enabled=bool(enabled))
        loss = frozen(first(aside(torch.randn(2, 8, device="cuda")))).mean()
        (loss if enabled is None else scaler.scale(loss)).backward()
        optimizer.step()

    before = torch.amp.GradScaler.scale
    fit = Virtual(VirtualFit(candidate=Candidate(), steps=1))
    trace, _ = run_callable(program, (), {}, find("v100"), watch=fit.begin)
    assert trace.failed is None
    shown = fit.shown()
    assert shown["scaler"] == said
    assert {one["name"]: one["passes"] for one in shown["components"]} == {
        "first": True, "frozen": True, "aside": False,
    }  # fmt: skip
    assert torch.amp.GradScaler.scale is before
