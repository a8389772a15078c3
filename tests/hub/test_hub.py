"""Models that are on a hub and not in the cache: a model of 140 GB is checked by the headers of its files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from command import miscast_in

LARGE = """
import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("ann/large", dtype="auto", device_map={"": "cuda"})
assert model.dtype is torch.bfloat16 and model.device.type == "cuda"
assert sum(p.numel() for p in model.parameters()) == 70_553_706_496
with torch.no_grad():
    logits = model(torch.arange(64, device="cuda")[None]).logits
assert logits.shape == (1, 64, 128256)
torch.nn.functional.linear(logits, torch.ones(4, 128256, device="cuda"))
"""
SNAPSHOT = """
import os
from huggingface_hub import hf_hub_download, snapshot_download, try_to_load_from_cache
from huggingface_hub.errors import EntryNotFoundError, RepositoryNotFoundError
from safetensors import safe_open

first = "model-00001-of-00081.safetensors"
folder = snapshot_download("ann/large", allow_patterns=["*.json", "*00001*", "*.bin"])
assert sorted(os.listdir(folder)) == ["config.json", "generation_config.json", first, "model.safetensors.index.json"]
assert b"llama" in open(f"{folder}/config.json", "rb").read()
with safe_open(f"{folder}/{first}", "pt", device="cuda") as file:
    assert file.metadata() == {"format": "pt"}
    assert file.get_slice("lm_head.weight").get_shape() == [128256, 8192]
    assert str(file.get_tensor("model.norm.weight").dtype) == "torch.bfloat16"
assert hf_hub_download("ann/large", first) == try_to_load_from_cache("ann/large", first)
for name, error in (("ann/large", EntryNotFoundError), ("ann/none", RepositoryNotFoundError)):
    try:
        hf_hub_download(name, "none.safetensors")
    except error:
        continue
    raise AssertionError
"""
CONFIG = 'from huggingface_hub import hf_hub_download\nhf_hub_download("ann/large", "config.json")\n'
NAMED = """
from transformers import LlamaForCausalLM

LlamaForCausalLM.from_pretrained(pretrained_model_name_or_path="ann/large", dtype="auto")
"""


@pytest.fixture
def hub(tmp_path):
    """The endpoint, and what was asked of it: method, path, bytes given."""
    pytest.importorskip("huggingface_hub", minversion="0.30")
    log = tmp_path / "log"
    command = [sys.executable, Path(__file__).with_name("server.py"), log]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            port = int(server.stdout.readline())
            yield f"http://127.0.0.1:{port}", lambda: [json.loads(line) for line in log.read_text().splitlines()]
        finally:
            server.kill()


def checked(folder, source, endpoint, *options, box="kernel", machine="8xh200"):
    (folder / "program.py").write_text(source, encoding="utf-8")
    around = {"HF_HOME": str(folder / "home"), "HF_ENDPOINT": endpoint}
    around |= {"MISCAST_BOX": box} if box == "python" else {}
    given = ["--format", "json", "--machine", machine, "--time-limit", "100", *options]
    done = miscast_in(folder, "check", *given, "program.py", **around)
    return json.loads(done.stdout)


def lines(report):
    return [finding["location"]["line"] for finding in report["findings"]]


@pytest.mark.parametrize("box", ["kernel", "python"])
def test_headers_are_enough_for_70_billion_parameters(tmp_path, hub, box):
    pytest.importorskip("transformers")
    endpoint, asked = hub
    report = checked(tmp_path, LARGE, endpoint, box=box)
    assert (report["ended"], lines(report)) == (None, [11])
    assert any("only the headers of weights" in note for note in report["notes"])
    assert not any(path.endswith(".safetensors") for path in report["effects"]["written"])
    assert sum(given for _, _, given in asked()) < 10e6
    assert not list((tmp_path / "home").rglob("*.safetensors"))
    assert list((tmp_path / "home").rglob("config.json"))


@pytest.mark.parametrize("box", ["kernel", "python"])
def test_weights_without_a_header_are_not_read(tmp_path, hub, box):
    pytest.importorskip("transformers")
    endpoint, asked = hub
    report = checked(tmp_path, LARGE.replace("ann/large", "ann/old"), endpoint, box=box)
    assert (report["ended"], lines(report)) == (None, [11])
    assert any("built from its configuration" in note for note in report["notes"])
    assert sum(given for _, _, given in asked()) < 1e6


@pytest.mark.parametrize("box", ["kernel", "python"])
def test_snapshots_and_what_is_not_there(tmp_path, hub, box):
    report = checked(tmp_path, SNAPSHOT, hub[0], box=box)
    assert report["ended"] is None
    assert not any(path.endswith(".safetensors") for path in report["effects"]["written"])
    assert not list((tmp_path / "home").rglob("*.safetensors"))


def test_a_configuration_is_enough_where_the_hub_is_not_reached(tmp_path, hub):
    pytest.importorskip("transformers")
    assert checked(tmp_path, CONFIG, hub[0], machine="cpu")["ended"] is None
    for options in ([], ["--offline"]):
        report = checked(tmp_path, LARGE, "http://127.0.0.1:9", *options)
        assert (report["ended"], lines(report)) == (None, [11])
        assert any("built from its configuration" in note for note in report["notes"])


def test_a_model_may_be_given_by_the_name_of_the_argument(tmp_path, hub):
    pytest.importorskip("transformers")
    assert checked(tmp_path, CONFIG, hub[0], machine="cpu")["ended"] is None
    report = checked(tmp_path, NAMED, "http://127.0.0.1:9", "--offline")
    assert report["ended"] is None
    assert any("built from its configuration" in note for note in report["notes"])


def test_what_to_do_without_anything(tmp_path):
    pytest.importorskip("transformers")
    report = checked(tmp_path, LARGE, "http://127.0.0.1:9")
    assert "OSError" in report["ended"]
    assert any("hf download" in note for note in report["notes"])


def test_no_cache_is_left_where_none_was(tmp_path):
    pytest.importorskip("huggingface_hub")
    assert checked(tmp_path, "print(1)", "http://127.0.0.1:9", machine="cpu")["ended"] is None
    assert not (tmp_path / "home").exists()
