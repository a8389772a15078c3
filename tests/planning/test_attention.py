"""Which kernel attention takes on a machine, and a model's own attention in exchange for torch's."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from miscast.core.machines import find
from miscast.planning.fitting.candidate import Candidate, VirtualFit
from miscast.planning.fitting.virtual import Virtual
from miscast.planning.moves import ATTENTION, moves
from miscast.running.program.run import run_callable


class Attends(nn.Module):
    def __init__(self, mask=None, width=32):
        super().__init__()
        self.mask, self.scale = mask, nn.Parameter(torch.ones(width))

    def forward(self, x):
        q = x * self.scale
        mask = None if self.mask is None else torch.zeros(64, 64, device=x.device, dtype=q.dtype)
        return F.scaled_dot_product_attention(q, q, q, attn_mask=mask)


def train(net, width=32):
    net.to("cuda")
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    for _ in range(2):
        net(torch.randn(2, 4, 64, width, device="cuda")).float().mean().backward()
        optimizer.step()
        optimizer.zero_grad()


def seen(program, machine="a100", **candidate):
    fit = Virtual(VirtualFit(candidate=Candidate(**candidate), steps=2))
    trace, _ = run_callable(program, (), {}, find(machine), watch=fit.begin)
    assert trace.failed is None
    return fit.shown()


@pytest.mark.parametrize(
    ("net", "machine", "precision", "kernel", "why"),
    [
        (Attends, "a100", "bf16-true", "flash", ""),
        (Attends, "a100", "bf16-mixed", "flash", ""),
        (Attends, "a100", "32-true", "efficient", "flash does not support float32"),
        (Attends, "v100", "16-true", "efficient", "flash needs an Ampere GPU or newer"),
        (lambda: Attends(mask=True), "a100", "bf16-true", "efficient", "flash does not support a mask"),
    ],
)
def test_the_kernel_is_the_one_that_torch_chooses(net, machine, precision, kernel, why):
    (row,) = seen(lambda: train(net()), machine, rest=precision)["attention"]
    assert (row["kernel"], row["why"], row["times"], row["weights"]) == (kernel, why, 1, 0)


def test_the_math_kernel_says_what_its_weights_are():
    # 30 is no multiple of 8: neither flash nor efficient takes it
    (row,) = seen(lambda: train(Attends(width=30), 30), rest="bf16-true")["attention"]
    assert (row["kernel"], row["weights"]) == ("math", 2 * 2 * 4 * 64 * 64)


@pytest.mark.parametrize("own", ["eager", "sdpa"])
def test_a_model_that_attends_by_itself_can_be_given_torchs(own):
    transformers = pytest.importorskip("transformers")
    config = transformers.LlamaConfig(
        vocab_size=32, hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        attn_implementation=own,
    )  # fmt: skip

    def program():
        model = transformers.LlamaForCausalLM(config).to("cuda")
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
        ids = torch.arange(16, device="cuda").view(1, 16)
        model(ids, labels=ids).loss.backward()
        optimizer.step()

    whole = seen(program)
    assert whole["components"][0]["attends"] == own
    possible = list(moves(whole["components"], find("a100"), {}))
    assert (ATTENTION in possible) == (own == "eager")
    assert bool(whole["attention"]) == (own == "sdpa")
    assert [row["kernel"] for row in seen(program, attention="sdpa")["attention"]] == ["efficient"]
