"""Transformers' Trainer, which has the loop: the step at fault is found in it, and run again."""

from __future__ import annotations

import textwrap

import pytest

from command import miscast_in

PROGRAM = """
import torch
import transformers
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(8, 16), nn.Linear(16, 4)

    def forward(self, x, scale, labels):
        hidden = torch.relu(self.first(x))
        hidden = hidden / scale.mean()
        logits = self.last(hidden)
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


torch.manual_seed(0)
BAD = range(4 * EVERY, 5 * EVERY)
data = [
    {"x": torch.randn(8), "scale": torch.tensor(0.0 if n // 4 in BAD else 1.0), "labels": torch.tensor(n % 4)}
    for n in range(4 * 8 * EVERY)
]


class Trainer(transformers.Trainer):
    def _get_train_sampler(self, *_):
        return torch.utils.data.SequentialSampler(self.train_dataset)


model = Net()
arguments = transformers.TrainingArguments(
    output_dir="out", max_steps=8, per_device_train_batch_size=4, gradient_accumulation_steps=EVERY, use_cpu=True,
    report_to=[], save_strategy="no", disable_tqdm=True, max_grad_norm=MAX_NORM, bf16=BF16,
)
Trainer(model=model, args=arguments, train_dataset=data).train()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("every", "norm", "half"), [(1, 1.0, False), (2, 0.0, True)], ids=["clipped", "accumulated, bfloat16"]
)
def test_the_first_nan_of_a_trainer(tmp_path, every, norm, half):
    source = PROGRAM.replace("EVERY", str(every)).replace("MAX_NORM", str(norm)).replace("BF16", str(half))
    (tmp_path / "train.py").write_text(textwrap.dedent(source))
    ran = miscast_in(tmp_path, "run", "--guard", "train.py")
    assert ran.returncode == 1, ran.stderr
    told = " ".join(ran.stderr.split())
    assert "non-finite step 5:" in told
    assert "div made" in told
    assert "train.py:14 in forward hidden = hidden / scale.mean()" in told
    assert "bit-identical" in told
