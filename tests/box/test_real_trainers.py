"""Trainers of the field with rotation of checkpoints and resuming, and a model hub: real runs first, then checks.

A checkpoint of a real run is the dearest thing there is: it stays, whatever the check saves and deletes.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from test_harmless import BOXES
from test_network import world  # noqa: F401 - a fixture
from user_folder import everything, left_behind, miscast_in

TRAINER = """\
import sys
import torch
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 16
    def __getitem__(self, i):
        return {"input_ids": torch.arange(8), "labels": torch.arange(8)}

model = LlamaForCausalLM(LlamaConfig(
    hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2, vocab_size=32))
args = TrainingArguments("out", max_steps=int(sys.argv[1]), save_steps=1, save_total_limit=1, logging_steps=1,
    per_device_train_batch_size=2, report_to=[], use_cpu=not torch.cuda.is_available())
trainer = Trainer(model, args, train_dataset=Data())
result = trainer.train(resume_from_checkpoint="resume" in sys.argv)
trainer.save_model("out/final")
trainer.save_metrics("train", result.metrics)
trainer.create_model_card()
print("steps", trainer.state.global_step)
"""
ACCELERATE = """\
import os, sys
import torch
from accelerate import Accelerator
from accelerate.utils import ProjectConfiguration
folder = "out/checkpoints"
done = sorted(int(name.split("_")[1]) for name in os.listdir(folder)) if os.path.isdir(folder) else []
project = ProjectConfiguration(
    "out", automatic_checkpoint_naming=True, total_limit=1, iteration=done[-1] + 1 if done else 0)
accelerator = Accelerator(cpu=not torch.cuda.is_available(), project_config=project)
model = torch.nn.Linear(4, 2)
model, optimizer = accelerator.prepare(model, torch.optim.AdamW(model.parameters()))
if done:
    accelerator.load_state(f"{folder}/checkpoint_{done[-1]}")
for step in range(int(sys.argv[1])):
    loss = model(torch.randn(2, 4, device=accelerator.device)).pow(2).mean()
    accelerator.backward(loss)
    optimizer.step()
    optimizer.zero_grad()
    accelerator.save_state()
print("saved", os.listdir(folder))
"""
PROGRAMS = {
    "Trainer": (TRAINER, ["2"], ["3", "resume"], "steps 3", {"out/checkpoint-2"}),
    "Accelerate": (ACCELERATE, ["1"], ["2"], "saved ['checkpoint_2']", {"out/checkpoints/checkpoint_0"}),
}


@pytest.fixture(params=PROGRAMS)
def run(request, tmp_path):
    """A folder in which the program has run for real."""
    source, first, *then = PROGRAMS[request.param]
    home = tmp_path / "home"
    home.mkdir()
    (home / "train.py").write_text(source)
    env = os.environ | {"HF_HUB_OFFLINE": "1"}
    done = subprocess.run([sys.executable, "train.py", *first], cwd=home, env=env, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return home, *then


@pytest.mark.parametrize("box", BOXES)
def test_the_last_checkpoint_stays(run, box):
    home, then, said, deleted = run
    before = everything(home)
    done = miscast_in(home, "check", "--machine", "a100", "--format", "json", "train.py", *then, box=box)
    assert done.returncode == 0, done.stderr
    assert said in done.stderr
    assert everything(home) == before
    assert left_behind(home) == []
    assert all(f'"{home / path}' in done.stdout for path in deleted)


HUB = """\
import torch
from huggingface_hub import hf_hub_download, upload_file
from transformers import AutoConfig, AutoModel
path = hf_hub_download("ann/tiny", "sub/words.txt")
print("read", open(path).read())
model = AutoModel.from_config(AutoConfig.from_pretrained("ann/tiny", num_hidden_layers=1, vocab_size=8))
model.push_to_hub("ann/new")
upload_file(path_or_fileobj=b"x", path_in_repo="x", repo_id="ann/new")
"""


@pytest.mark.parametrize("box", BOXES)
def test_a_model_hub_is_read_and_not_written(world, tmp_path, box):  # noqa: F811 - the fixture
    home = tmp_path / "home"
    (home / "cache" / "hub").mkdir(parents=True)
    (home / "program.py").write_text(HUB)
    hub = {"HF_ENDPOINT": f"http://127.0.0.1:{world.http}", "HF_HOME": str(home / "cache")}
    before = len(world.arrived())
    done = miscast_in(home, "check", "--verbose", "program.py", box=box, **hub)
    assert "read some words" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0, done.stdout + done.stderr
    arrived = world.arrived()[before:]
    assert [line for line in arrived if not line.startswith(("GET", "HEAD"))] == []
    assert any("/sub/words.txt" in line for line in arrived)
    assert list(home.glob("cache/hub/models--ann--tiny/snapshots/*/config.json"))  # kept in its usual cache
    assert "push_to_hub" in done.stdout or "upload" in done.stdout

    offline = miscast_in(home, "check", "--offline", "program.py", box=box, **hub)
    assert "read some words" in offline.stdout, offline.stdout + offline.stderr
    assert world.arrived()[before:] == arrived
