"""Programs that use a policy, on the virtual machine: without it there is a mismatch, with it there is none."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

import miscast
from miscast import Policy
from models import tiny


def _diffusion(policy=None, *, device="cuda"):
    """A mask of ones promotes the UNet's input, a float32 noise schedule the latents that are decoded."""
    unet, vae = tiny.unet(in_channels=5), tiny.vae()
    if policy is None:
        unet.to(device).half()
        vae.to(device).half()
    else:
        miscast.apply({"unet": unet, "vae": vae}, policy, device=device)
    latents = torch.randn(1, 4, 8, 8, device=device, dtype=torch.float16)
    context = torch.randn(1, 6, 16, device=device, dtype=torch.float16)
    mask = torch.ones(1, 1, 8, 8, device=device)
    time = torch.tensor([10], device=device)
    predicted = unet(torch.cat([latents, mask], dim=1), time, context).sample
    alpha = torch.linspace(0.99, 0.01, 1000, device=device)[10]
    image = vae.decode((latents - (1 - alpha).sqrt() * predicted) / alpha.sqrt()).sample
    loss = F.mse_loss(predicted.float(), torch.zeros_like(predicted, dtype=torch.float32)) + image.float().mean()
    loss.backward()
    torch.optim.SGD(unet.parameters(), lr=0.1).step()


class Chat(nn.Module):
    """The tower is called past its forward, as when a hook that moves inputs sits on forward alone."""

    def __init__(self):
        super().__init__()
        self.tower = nn.ModuleDict({"patch": nn.Conv2d(3, 8, 2, 2), "norm": nn.LayerNorm(8)})
        self.head = nn.Linear(8, 4)

    def forward(self, pixel_values, input_ids):
        features = self.tower["patch"](pixel_values).flatten(2).transpose(1, 2)
        return self.head(self.tower["norm"](features).mean(1)) + input_ids.sum()


def _chat(policy=None, *, converted=True):
    model = Chat()
    batch = {"pixel_values": torch.ones(1, 3, 4, 4), "input_ids": torch.ones(1, 4, dtype=torch.int64)}
    if policy is None:
        model.cuda().half()
    else:
        miscast.apply(model, policy, device="cuda")
        if converted:
            batch = miscast.cast(batch, like=model)
            miscast.expect(batch, like=model)
    model(**batch).float().sum().backward()


def _found(program, *args, machine="v100", **kwargs):
    report = miscast.check(program, *args, machine=machine, **kwargs)
    assert not report.ended, report.ended
    return [(f.rule, f.severity) for f in report.findings]


def test_a_diffusion_program():
    assert _found(_diffusion).count(("operand-dtype-mismatch", "error")) >= 2
    for policy in ("16-true", "16-mixed", Policy(param_dtype="float16", overrides={"vae": "float32"})):
        found = _found(_diffusion, policy)
        assert [f for f in found if "mismatch" in f[0]] == [], (policy, found)


def test_devices_and_dtypes_of_a_multimodal_program():
    without = [rule for rule, _ in _found(_chat)]
    assert "operand-device-mismatch" in without
    assert "operand-dtype-mismatch" in without
    for policy in ("16-true", "16-mixed"):
        assert _found(_chat, policy) == []
        assert _found(_chat, policy, converted=False) == []


def test_a_dtype_that_the_machine_lacks_is_still_told():
    assert {rule for rule, _ in _found(_chat, "bf16-true")} == {"dtype-not-on-machine"}
    assert _found(_chat, "bf16-true", machine="a100") == []


def test_expect_on_a_virtual_gpu():
    def program():
        model = nn.Linear(2, 2)
        miscast.apply(model, "16-true", device="cuda")
        try:
            miscast.expect({"pixel_values": torch.ones(2)}, like=model)
        except miscast.MismatchError as error:
            return str(error)
        return ""

    report = miscast.check(program, machine="v100")
    assert report.result == 'batch["pixel_values"]: float32 on cpu, but Linear expects float16 on cuda:0'


def test_master_weights_on_a_virtual_gpu():
    def program():
        model = nn.Linear(2, 2)
        policy = Policy.parse("16-true")
        miscast.apply(model, policy, device="cuda")
        optimizer = policy.optimizer(model, torch.optim.AdamW, lr=1e-3)
        for _ in range(2):
            model(torch.ones(1, 2)).float().sum().backward()
            optimizer.step()
            optimizer.zero_grad()

    assert _found(program) == []


def test_master_weights_that_are_there_before_a_check_are_lent_and_given_back():
    model = nn.Linear(4, 4).half()
    optimizer = Policy.parse("bf16-true").optimizer(model.bfloat16(), torch.optim.AdamW, lr=0.1)
    model(torch.ones(1, 4, dtype=torch.bfloat16)).sum().backward()
    optimizer.step()
    before = {name: value.clone() for name, value in optimizer.state[model.weight].items()}

    def step():
        model(torch.ones(1, 4, dtype=torch.bfloat16)).sum().backward()
        optimizer.step()

    report = miscast.check(step)
    assert (report.failed, report.ended, report.findings) == (None, None, ())
    after = optimizer.state[model.weight]
    assert all(torch.equal(after[name], value) for name, value in before.items())
