"""Each cell of the table of effective precision says whether a real training was seen to have it, or only a source."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from miscast.lint import lint
from miscast.report import json as as_json, text as as_text

LLAMA = "model_name_or_path: meta-llama/Llama-3.1-8B\n"
TRAINER = f"output_dir: out\nper_device_train_batch_size: 2\nmax_steps: 2\n{LLAMA}torch_dtype: float32\nbf16: true\n"
SFT = """\
from transformers import AutoModelForCausalLM
from trl import {config}

model = AutoModelForCausalLM.from_pretrained("{name}", dtype="{dtype}")
arguments = {config}(output_dir="out", {flags})
"""


def tables(tmp_path, machine, files):
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    report = lint([str(tmp_path / name) for name in files], machine=machine).report
    return json.loads(as_json.render(report))["tables"]


def cells(tmp_path, machine="a100", **files):
    (table,) = tables(tmp_path, machine, {name.replace("__", "."): text for name, text in files.items()})
    return table["evidence"], {
        name: {respect: cell["evidence"] for respect, cell in part.items()} for name, part in table["components"].items()
    }


def sft(name="meta-llama/Llama-3.1-8B", *, config="SFTConfig", dtype="float32", flags="bf16=True"):
    return SFT.format(name=name, config=config, dtype=dtype, flags=flags)


def test_what_was_seen_is_measured(tmp_path):
    told, found = cells(tmp_path, t__py=sft())
    assert told.startswith("measured on trl 1.16.0, ")
    kinds = found["model"]
    assert {kinds[r] for r in ("parameters", "compute", "gradients", "outputs", "autocast", "attention")} == {"measured"}


def test_a_value_that_no_run_had_decides_alone(tmp_path):
    """Qwen's class was not run: what its name decides is declared, and what the flags decide is not."""
    _, found = cells(tmp_path, t__py=sft("Qwen/Qwen3-8B"))
    assert (found["model"]["attention"], found["model"]["buffers"]) == ("declared", "measured")
    _, found = cells(tmp_path, t__py=sft("Qwen/Qwen3-8B", dtype="bfloat16"))
    assert (found["model"]["buffers"], found["model"]["autocast"]) == ("declared", "measured")


def test_what_rests_on_nothing_is_neither(tmp_path):
    _, found = cells(tmp_path, t__py=sft("some/encoder", dtype="bfloat16"))
    assert (found["model"]["buffers"], found["model"]["autocast"]) == ("none", "measured")


@pytest.mark.parametrize(("change", "without"), [
    ({"machine": "ascend910b"}, "npu"),
    ({"t__py": sft(config="KTOConfig")}, "KTOConfig"),
    ({"t__py": sft(flags="bf16=True, optim='lion_8bit'")}, "optim: 'lion_8bit'"),
    ({"t__py": sft(flags="bf16=True, use_cpu=True, tf32=True, bf16_full_eval=True")},
     "use_cpu: True, tf32: True, …"),
])  # fmt: skip
def test_a_run_unlike_all_that_were_measured_is_declared(tmp_path, change, without):
    told, found = cells(tmp_path, **{"t__py": sft()} | change)
    assert told == f"from TRL 1.16.0's source; not measured with {without}"
    assert "measured" not in {kind for part in found.values() for kind in part.values()}


@pytest.mark.parametrize("flags", ["bf16=True", "bf16=True, learning_rate=3e-5", "bf16=True, gradient_checkpointing=True"])
def test_what_is_the_users_own_or_the_default_is_no_difference(tmp_path, flags):
    told, _ = cells(tmp_path, t__py=sft(flags=flags))
    assert told.startswith("measured on")


def test_a_launcher_that_was_never_beside_it(tmp_path):
    launcher = "mixed_precision: bf16\ndistributed_type: {}\nnum_processes: 2\n"
    command = "accelerate launch --config_file accelerate.yaml train.py\n"
    code = 'training, loading = HfArgumentParser((TrainingArguments, Loading)).parse_yaml_file("train.yaml")\n'
    beside = {"train__py": code, "train__yaml": TRAINER, "run__sh": command}
    told, _ = cells(tmp_path, accelerate__yaml=launcher.format("FSDP"), **beside)
    assert told.startswith("measured on transformers")
    told, _ = cells(tmp_path, accelerate__yaml=launcher.format("MULTI_GPU"), **beside)
    assert told.endswith("not measured with distributed_type: MULTI_GPU")


def test_a_system_that_was_not_run(tmp_path):
    told, found = cells(tmp_path, run__sh="vllm serve meta-llama/Llama-3.1-8B --dtype half\n")
    assert told == "from vLLM 0.33's source; not measured"
    assert found["model"]["parameters"] == "declared"


def as_lines(tmp_path, code):
    file = Path(tmp_path, "t.py")
    file.write_text(code, encoding="utf-8")
    return as_text.render(lint([str(file)], machine="a100").report, width=80).splitlines()


def test_the_text_marks_what_is_declared_among_what_is_measured(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = as_lines(".", sft("Qwen/Qwen3-8B"))
    assert "  attention         sdpa* 3" in lines
    assert "  autocast          bfloat16 2" in lines
    assert "  * from the source; not measured with this setting" in lines
    assert max(map(len, lines)) <= 80


def test_where_all_is_measured_or_all_is_declared_nothing_is_marked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for code in (sft(), sft(config="KTOConfig")):
        assert not any("*" in line for line in as_lines(".", code) if "reduction" not in line)
