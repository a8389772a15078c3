"""The callback in a real Trainer: the same training, a policy, what differs in the first batch, and the first NaN."""

from __future__ import annotations

import json

import pytest
import torch
import transformers
from torch import nn

from miscast import MismatchError, PolicyError, TrippedError
from miscast.integrations.transformers import MiscastCallback


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(8, 16), nn.Linear(16, 4)

    def forward(self, x, scale, labels):
        logits = self.last(torch.relu(self.first(x)) / scale.mean())
        return {"loss": nn.functional.mse_loss(logits.float(), labels), "logits": logits}


@pytest.fixture
def trainer(tmp_path):
    def make(callback, *, bad=False, dtype=torch.float32, **options):
        torch.manual_seed(0)
        data = [
            {
                "x": torch.randn(8, dtype=dtype),
                "scale": torch.tensor(0.0 if bad and n >= 12 else 1.0, dtype=dtype),
                "labels": torch.zeros(4, dtype=torch.float64),
            }
            for n in range(24)
        ]
        arguments = transformers.TrainingArguments(
            output_dir=str(tmp_path / "out"), max_steps=6, per_device_train_batch_size=4, use_cpu=True, report_to=[],
            save_strategy="no", disable_tqdm=True, train_sampling_strategy="sequential", **options,
        )  # fmt: skip
        return transformers.Trainer(
            model=Net(), args=arguments, train_dataset=data, callbacks=[callback] if callback else None
        )

    return make


def hooks(trainer):
    return [*trainer.model._forward_pre_hooks, *trainer.optimizer.optimizer._optimizer_step_pre_hooks]


def test_the_training_goes_on_as_it_would(trainer, tmp_path):
    plain = trainer(None)
    plain.train()
    callback = MiscastCallback(log=tmp_path / "flight.jsonl", expect=True)
    watched = trainer(callback)
    watched.train()
    assert all(map(torch.equal, plain.model.parameters(), watched.model.parameters()))
    lines = [json.loads(line) for line in (tmp_path / "flight.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines if line["event"] == "step"] == [1, 2, 3, 4, 5, 6]
    assert callback.guard.steps == 6
    assert callback.guard.trips == ()
    assert hooks(watched) == []


def test_the_first_nan(trainer):
    callback = MiscastCallback()
    with pytest.raises(TrippedError) as error:
        trainer(callback, bad=True).train()
    assert error.value.trip.rerun.producers[0].op == "div"
    callback.close()


def test_what_differs_in_the_first_batch(trainer):
    watched = trainer(MiscastCallback(guard_steps=False), dtype=torch.float64)
    with pytest.raises(MismatchError) as error:
        watched.train()
    assert str(error.value).splitlines() == [
        'inputs["x"]: float64 on cpu, but Net expects float32 on cpu',
        'inputs["scale"]: float64 on cpu, but Net expects float32 on cpu',
    ]
    assert watched.model._forward_pre_hooks == {}


def test_what_autocast_takes_is_no_difference(trainer):
    watched = trainer(MiscastCallback(guard_steps=False), dtype=torch.bfloat16, bf16=True)
    watched.train()
    assert watched.state.global_step == 6


def test_a_policy_for_the_model(trainer):
    callback = MiscastCallback(policy="bf16-true")
    watched = trainer(callback)
    assert {p.dtype for p in watched.model.parameters()} == {torch.bfloat16}
    watched.train()
    assert callback.handle.boundaries
    assert watched.state.global_step == 6


def test_a_policy_that_the_arguments_contradict(trainer):
    with pytest.raises(PolicyError, match=r"TrainingArguments\(bf16=True\) wraps the model in autocast to bfloat16"):
        trainer(MiscastCallback(policy="16-mixed"), bf16=True)
    with pytest.raises(PolicyError, match="has no GradScaler"):
        trainer(MiscastCallback(policy="16-mixed"))
