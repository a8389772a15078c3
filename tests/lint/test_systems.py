"""A system says what differs from the one that it is based on; rules ask for its facts, not for its name."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import pytest

import warm
from miscast.lint import index, lint, reindex, rules
from miscast.lint.systems import conflicts, known
from miscast.report import json as as_json
from miscast.report.rule_page import of_settings, page
from sweep import sweep

sys.path.insert(0, str(Path(__file__).parent))

import cases
from cases.research import AUTOMODEL

HEIRS = [system for system in known() if system.based_on]
TRAINER = "output_dir: o\nper_device_train_batch_size: 1\nbf16: true\nfp16: true\n"


def test_what_trains_by_the_trainer_is_based_on_it():
    assert {(system.name, system.based_on.name) for system in HEIRS} == {
        ("llamafactory", "transformers"),
        ("minicpm", "transformers"),
        ("musubi", "kohya"),
        ("swift", "transformers"),
        ("trl", "transformers"),
    }


@pytest.mark.parametrize("system", HEIRS, ids=lambda system: system.name)
def test_it_has_the_keys_of_its_base_but_those_that_it_lacks_or_gives_anew(system):
    names = [key.name for key in system.keys]
    inherited = [key.name for key in system.based_on.keys if key.name not in system.lacks]
    assert names[: len(inherited)] == inherited
    assert set(system.lacks) <= {key.name for key in system.based_on.keys}
    assert system.others >= system.based_on.others
    assert system.effective is not None
    assert system.family == (system.name, *system.based_on.family)


HEIRLOOMS = {
    "transformers": TRAINER,
    "trl": TRAINER + "beta: 0.1\nmax_length: 512\n",
    "llamafactory": TRAINER + "finetuning_type: lora\nstage: sft\n",
    "minicpm": TRAINER + "tune_vision: true\n",
    "swift": TRAINER + "model: m\ntuner_type: lora\n",
}


@pytest.mark.parametrize("name", HEIRLOOMS)
def test_a_contradiction_of_the_base_is_one_of_each_heir(name, tmp_path):
    (tmp_path / "train.yaml").write_text(HEIRLOOMS[name])
    outcome = lint([str(tmp_path)])
    assert [view.system.name for run in outcome.runs for view in run.views] == [name]
    assert "both-half-dtypes" in {finding.rule for finding in outcome.report.findings}


@sweep("file", sorted(Path(rules.__file__).parent.glob("*.py")), ids=lambda file: file.stem)
def test_a_rule_asks_for_facts_and_compares_no_names(file):
    """A new system is then judged by every rule that its facts concern."""
    compared = [
        node.lineno
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Compare) and "system.name" in ast.unparse(node)
    ]
    assert compared == []


def _rows(path, text):
    path.write_text(text)
    (table,) = json.loads(as_json.render(lint([str(path)]).report))["tables"]
    return {
        name: (row["parameters"]["value"], row["optimizer_states"]["value"])
        for name, row in table["components"].items()
    }


@pytest.mark.parametrize("more", ["", '    "$@"\n', "    $EXTRA\n"])
def test_an_actor_is_there_whatever_a_script_hands_on(tmp_path, more):
    """verl's examples end with what they were called with."""
    text = (
        "python3 -m verl.trainer.main_ppo actor_rollout_ref.rollout.dtype=float16 \\\n"
        "    actor_rollout_ref.actor.fsdp_config.model_dtype=bfloat16 \\\n" + more
    )
    rows = _rows(tmp_path / "run.sh", text)
    assert rows == {"actor": ("bfloat16", "bfloat16"), "rollout": ("float16", "none")}


@pytest.mark.parametrize(
    ("version", "held"), [(1, ("float32", "float32")), (2, ("bfloat16", "bfloat16"))]
)
def test_axolotl_raises_nothing_under_fsdp2(tmp_path, version, held):
    """Its own `fsdp2_prepare_model` (0.19) shards the weights as they were loaded; accelerate's raises them."""
    text = (
        "base_model: m\nbf16: true\noptimizer: adamw_torch\n"
        f"fsdp_version: {version}\nfsdp_config:\n  auto_wrap_policy: TRANSFORMER_BASED_WRAP\n"
    )
    assert _rows(tmp_path / "c.yaml", text) == {"model": held}


def test_the_index_holds_what_the_systems_and_formats_have():
    assert Path(index.FILE).read_text(encoding="utf-8") == reindex.text(), "run python -m miscast.lint.reindex"


def test_a_file_that_is_not_in_the_index_is_imported_for_its_claim(tmp_path, monkeypatch):
    (tmp_path / "t.yaml").write_text(TRAINER)
    monkeypatch.setattr(index, "FILE", str(tmp_path / "none.json"))
    code = (
        "import sys; from miscast.lint import index, lint; index.FILE = sys.argv[2]\n"
        "print([v.system.name for r in lint([sys.argv[1]]).runs for v in r.views])"
    )
    ran = warm.python("-c", code, str(tmp_path / "t.yaml"), index.FILE, folder=tmp_path)
    assert ran.stdout == "['transformers']\n", ran.stderr


def test_of_a_small_file_only_its_system_is_imported(tmp_path):
    (tmp_path / "a.yaml").write_text("compute_environment: LOCAL_MACHINE\nmixed_precision: bf16\nnum_processes: 2\n")
    code = "import sys; from miscast.lint import lint; lint(sys.argv[1:]); print(*sys.modules)"
    ran = warm.python("-c", code, str(tmp_path / "a.yaml"), folder=tmp_path)
    ours = {name for name in ran.stdout.split() if name.startswith("miscast")}
    assert {name.rpartition(".")[2] for name in ours if ".systems." in name} == {"accelerate", "deepspeed"}
    assert len(ours) <= 60, ran.stderr


def test_every_rule_of_a_contradiction_has_a_page():
    """Its severity is that of its most severe case."""
    order = ("error", "warning", "hint")
    found = {name: set() for name in of_settings()}
    for case in cases.every().values():
        found[case.rule].add(case.severity)
    assert {name: page(name).severity for name in found} == {
        name: min(severities, key=order.index) for name, severities in found.items()
    }
    assert {one.rule for system in known() for one in conflicts(system.name)} <= found.keys()


def test_automodel_computes_by_the_policy_and_keeps_what_the_optimizer_says(tmp_path):
    more = "peft:\n  _target_: nemo_automodel.components._peft.lora.PeftConfig\nquantization:\n  load_in_4bit: true\n"
    text = AUTOMODEL.format(dtype="bf16", more="  mp_policy:\n    reduce_dtype: bfloat16\n")
    fused = text.replace("torch.optim.AdamW", "transformer_engine.pytorch.optimizers.fused_adam.FusedAdam")
    (tmp_path / "full.yaml").write_text(fused)
    (tmp_path / "lora.yaml").write_text(text + more)
    report = json.loads(as_json.render(lint([str(tmp_path)]).report))
    assert not report["findings"]
    rows = {name: row for table in report["tables"] for name, row in table["components"].items()}
    assert rows.keys() == {"model", "adapter", "base model"}
    model = ("parameters", "compute", "reduction", "optimizer_states")
    assert [rows["model"][name]["value"] for name in model] == ["bfloat16", "bfloat16", "bfloat16", "float32"]
    assert rows["base model"]["parameters"]["value"] == "nf4"


LORA = "peft:\n  _target_: nemo_automodel.components._peft.lora.PeftConfig\n"
WIDE = "  mp_policy:\n    param_dtype: bfloat16\n    output_dtype: float32\n"
POLICY = "  mp_policy:\n    _target_: torch.distributed.fsdp.MixedPrecisionPolicy\n    param_dtype: bfloat16\n"


@pytest.mark.parametrize(
    ("weights", "machine", "computes", "rules"),
    [
        ("float32", "2xa100", "bfloat16", []),
        ("float32", "a100", "float32", ["setting-has-no-effect"]),
        ("bf16", "a100", "bfloat16", []),
    ],
)
def test_automodel_skips_fsdp2_on_one_gpu(weights, machine, computes, rules, tmp_path):
    (tmp_path / "full.yaml").write_text(AUTOMODEL.format(dtype=weights, more=POLICY))
    report = json.loads(as_json.render(lint([str(tmp_path)], machine=machine).report))
    (table,) = report["tables"]
    assert table["components"]["model"]["compute"]["value"] == computes
    assert [one["rule"] for one in report["findings"]] == rules


@pytest.mark.parametrize(
    ("weights", "more", "machine", "rules"),
    [
        ("float32", LORA, "a100", ["half-model-given-float32"]),
        ("float32", LORA, "2xa100", []),
        ("bfloat16", LORA, "a100", []),
        ("float32", f"{WIDE}", "2xa100", ["half-model-given-float32"]),
        ("float32", f"{WIDE}  autocast_dtype: bfloat16\n", "2xa100", []),
    ],
)
def test_automodel_raises_where_two_dtypes_meet(weights, more, machine, rules, tmp_path):
    (tmp_path / "full.yaml").write_text(AUTOMODEL.format(dtype=weights, more=more))
    assert [one.rule for one in lint([str(tmp_path)], machine=machine).report.findings] == rules


def test_flame_has_degrees_of_parallelism_where_torchtitan_had_them(tmp_path):
    text = '[job]\ndump_folder = "exp"\n[training]\nmixed_precision_param = "bfloat16"\ndata_parallel_shard_degree = {}\n'
    for degree, autocast in ((1, "bfloat16"), (-1, "off")):
        (tmp_path / "fla.toml").write_text(text.format(degree))
        report = lint([str(tmp_path)], machine="8xh100").report
        (table,) = json.loads(as_json.render(report))["tables"]
        assert table["components"]["model"]["autocast"]["value"] == autocast


CHECKPOINTS = {
    "run.sh": "vllm serve ./model --dtype auto\n",
    "clm.sh": "python run_clm.py --model_name_or_path ./model --torch_dtype auto --output_dir o "
    "--per_device_train_batch_size 1 --bf16\n",
    "lora.yaml": "model_name_or_path: ./model\nstage: sft\nfinetuning_type: freeze\ntemplate: llama3\npure_bf16: true\n",
    "recipe.yaml": AUTOMODEL.format(dtype="auto", more="").replace(
        "model:\n", "model:\n  pretrained_model_name_or_path: ./model\n"
    ),
}


@pytest.mark.parametrize("file", CHECKPOINTS)
@pytest.mark.parametrize(
    ("config", "held"),
    [
        ('{"torch_dtype": "float16"}', "float16"),
        ('{"dtype": null, "text_config": {"dtype": "bfloat16"}}', "bfloat16"),
        ('{"model_type": "llama"}', "unknown"),
        ("[1]", "unknown"),
        (None, "unknown"),
    ],
)
def test_a_local_checkpoint_says_its_own_dtype(file, config, held, tmp_path):
    """Where a setting leaves the dtype to it."""
    (tmp_path / file).write_text(CHECKPOINTS[file])
    (tmp_path / "model").mkdir()
    if config is not None:
        (tmp_path / "model" / "config.json").write_text(config)
    (table,) = json.loads(as_json.render(lint([str(tmp_path / file)]).report))["tables"]
    assert table["components"]["model"]["parameters"]["value"] == held


@pytest.mark.parametrize("more", ["", " --num_processes 2"])
def test_an_option_without_its_value_is_no_dtype(more, tmp_path):
    (tmp_path / "run.sh").write_text(f"accelerate launch --mixed_precision{more} train.py\n")
    (table,) = json.loads(as_json.render(lint([str(tmp_path)]).report))["tables"]
    assert {table["components"]["model"][name]["value"] for name in ("compute", "autocast", "outputs")} == {"unknown"}


EIGHT_BIT = {
    "axolotl.yaml": "base_model: a/b\nadapter: lora\nbf16: true\nlearning_rate: 1e-4\noptimizer: {}\n",
    "factory.yaml": "model_name_or_path: a/b\nstage: sft\nfinetuning_type: lora\ntemplate: llama3\nbf16: true\noptim: {}\n",
    "train.py": "from transformers import TrainingArguments\nargs = TrainingArguments('out', bf16=True, optim='{}')\n"
    "model = AutoModelForCausalLM.from_pretrained('gpt2', dtype=torch.float32)\n",
}


@pytest.mark.parametrize("file", EIGHT_BIT)
@pytest.mark.parametrize(
    ("optimizer", "states"),
    [
        ("adamw_torch", "float32"),
        ("adamw_bnb_8bit", "float32, uint8"),
        ("paged_adamw_8bit", "float32, uint8"),
        ("adamw_torch_8bit", "unknown"),
        ("adafactor", "float32"),
    ],
)
def test_eight_bit_optimizers_keep_no_states_of_the_parameters_dtype(file, optimizer, states, tmp_path):
    (tmp_path / file).write_text(EIGHT_BIT[file].format(optimizer))
    report = json.loads(as_json.render(lint([str(tmp_path)]).report))
    row = next(row for table in report["tables"] for name, row in table["components"].items() if name != "base model")
    assert row["optimizer_states"]["value"] == states


def test_musubis_eight_bit_states_are_not_the_networks(tmp_path):
    (tmp_path / "run.sh").write_text(
        "accelerate launch src/musubi_tuner/wan_train_network.py --dit w.safetensors --dataset_config d.toml "
        "--network_module networks.lora_wan --mixed_precision bf16 --optimizer_type adamw8bit\n"
    )
    (table,) = json.loads(as_json.render(lint([str(tmp_path)]).report))["tables"]
    assert table["components"]["network"]["optimizer_states"]["value"] == "unknown"
