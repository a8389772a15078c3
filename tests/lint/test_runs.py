"""What works together is judged together; what decides is told cell by cell."""

from __future__ import annotations

import pytest

from miscast.lint import lint
from miscast.lint.systems import known
from miscast.lint.unsaid import FAMILIES
from sweep import sweep

TRAINER = "output_dir: o\nper_device_train_batch_size: 1\n"
ENGINE = '{"zero_optimization": {"stage": 2}, "%s": {"enabled": true}}'


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def rules(*paths):
    return {finding.rule for finding in lint([str(path) for path in paths]).report.findings}


def test_files_of_one_folder_are_one_run(tmp_path):
    write(tmp_path, {"train.yaml": TRAINER + "bf16: true\n", "ds.json": ENGINE % "fp16"})
    assert rules(tmp_path) == {"engine-contradicts-launcher"}


def test_files_of_two_folders_are_not_unless_they_are_named(tmp_path):
    write(tmp_path, {"a/train.yaml": TRAINER + "bf16: true\n", "b/ds.json": ENGINE % "fp16"})
    assert rules(tmp_path) == set()
    assert rules(tmp_path / "a" / "train.yaml", tmp_path / "b" / "ds.json") == {"engine-contradicts-launcher"}
    assert rules(tmp_path / "a", tmp_path / "b" / "ds.json") == {"engine-contradicts-launcher"}


def test_alternatives_are_not_mixed(tmp_path):
    """Two recipes and two engines: only what one names belongs to it."""
    write(tmp_path, {
        "a.yaml": TRAINER + "bf16: true\ndeepspeed: bf16.json\n", "bf16.json": ENGINE % "bf16",
        "b.yaml": TRAINER + "fp16: true\ndeepspeed: fp16.json\n", "fp16.json": ENGINE % "fp16",
    })  # fmt: skip
    assert rules(tmp_path) == set()
    (tmp_path / "b.yaml").write_text(TRAINER + "fp16: true\ndeepspeed: bf16.json\n")
    assert rules(tmp_path) == {"engine-contradicts-launcher"}


def test_what_a_named_file_names_is_read(tmp_path):
    write(
        tmp_path,
        {"run/train.yaml": TRAINER + "bf16: true\ndeepspeed: conf/ds.json\n", "run/conf/ds.json": ENGINE % "fp16"},
    )
    assert rules(tmp_path / "run" / "train.yaml") == {"engine-contradicts-launcher"}


def test_commands_of_one_script_are_alternatives(tmp_path):
    script = "python a.py --output_dir o --per_device_train_batch_size 1 --{}\n"
    write(tmp_path, {"run.sh": script.format("fp16") + script.format("bf16")})
    assert rules(tmp_path) == set()


def test_an_argument_wins_over_a_file(tmp_path):
    toml = 'pretrained_model_name_or_path = "m"\nnetwork_module = "n"\nfull_fp16 = true\nmixed_precision = "{}"\n'
    write(tmp_path, {"c.toml": toml.format("bf16"), "run.sh": "python train_network.py --config_file c.toml {}\n"})
    assert rules(tmp_path) == {"full-half-without-mixed"}
    (tmp_path / "run.sh").write_text("python train_network.py --config_file c.toml --mixed_precision fp16\n")
    assert rules(tmp_path) == set()


def test_an_unknown_variable_leaves_defaults_unknown(tmp_path):
    write(tmp_path, {"run.sh": "python cli_demo_sat.py --from_pretrained x\n"})
    assert rules(tmp_path) == {"no-dtype-flag"}
    write(tmp_path, {"run.sh": "python cli_demo_sat.py --from_pretrained x $PRECISION\n"})
    assert rules(tmp_path) == set()


def row(folder, component, files, **wanted):
    write(folder, files)
    (run,) = [run for run in lint([str(folder)]).runs if run.table]
    part = {part.name: part for part in run.table}[component]
    found = {name: getattr(part, name) for name in wanted}
    told = {
        name: (cell.value, f"{cell.by.entry.at.line}:{cell.by.entry.at.column}" if cell.by else None)
        for name, cell in found.items()
    }
    assert told == wanted


def test_the_row_of_a_trainer(tmp_path):
    row(tmp_path, "model", {"t.yaml": TRAINER + "fp16: true\ntorch_dtype: float32\ntf32: true\n"},
        parameters=("float32", "4:14"), compute=("float16", "3:7"), gradients=("float32", "4:14"),
        autocast=("float16", "3:7"), loss_scaling=("dynamic", "3:7"), tf32=("on", "5:7"), attention=("unknown", None))  # fmt: skip


def test_the_row_of_an_engine(tmp_path):
    row(tmp_path, "model", {"d.json": '{"zero_optimization": {"stage": 1},\n"fp16": {"enabled": true, "loss_scale": 128},\n'
                            '"communication_data_type": "fp32"}'},
        parameters=("float16", "2:21"), optimizer_states=("float32", "2:21"), reduction=("float32", "3:28"),
        loss_scaling=("fixed, 128", "2:41"), autocast=("off", "2:21"))  # fmt: skip


def test_mmengine_scales_the_loss_in_bfloat16_too(tmp_path):
    row(tmp_path, "model", {"c.py": "optim_wrapper = dict(\ntype='AmpOptimWrapper',\ndtype='bfloat16')\n"},
        autocast=("bfloat16", "3:7"), loss_scaling=("dynamic", "2:6"))  # fmt: skip
    row(tmp_path, "model", {"c.py": "optim_wrapper = dict(\ntype='AmpOptimWrapper',\nloss_scale=512.)\n"},
        autocast=("float16", "2:6"), loss_scaling=("fixed, 512", "3:12"))  # fmt: skip
    other = "optim_wrapper = dict(\ntype='{}OptimWrapper')  # not AmpOptimWrapper\n"
    row(tmp_path, "model", {"c.py": other.format("")}, autocast=("off", "2:6"))
    row(tmp_path, "model", {"c.py": other.format("Apex")}, autocast=("unknown", None))


def test_ultralytics_trains_in_the_dtype_that_amp_names(tmp_path):
    row(tmp_path, "model", {"t.sh": "yolo detect train data=d model=m amp=bf16\n"},
        autocast=("bfloat16", "1:38"), loss_scaling=("off", "1:38"))  # fmt: skip
    row(tmp_path, "model", {"t.sh": "yolo train data=d model=m\n"}, autocast=("float16", None))
    row(tmp_path, "model", {"t.sh": "yolo predict model=m quantize=16 device=0\n"}, parameters=("float16", "1:31"))


def test_auto_is_filled_by_the_trainer(tmp_path):
    row(tmp_path, "model", {"t.yaml": TRAINER + "bf16: true\ndeepspeed: d.json\n",
                            "d.json": '{"zero_optimization": {"stage": 1}, "bf16": {"enabled": "auto"}}'},
        parameters=("bfloat16", "3:7"), optimizer_states=("float32", "3:7"), autocast=("off", "3:7"))  # fmt: skip


def test_onetrainer_keeps_autocast_on_where_all_dtypes_agree(tmp_path):
    text = (
        '{"model_type": "STABLE_DIFFUSION_15", "training_method": "LORA",\n"train_dtype": "BFLOAT_16",\n'
        '"weight_dtype": "BFLOAT_16",\n"lora_weight_dtype": "%s", "vae": {"weight_dtype": "BFLOAT_16"}}'
    )
    row(tmp_path, "lora", {"c.json": text % "BFLOAT_16"}, autocast=("bfloat16", "2:16"),
        parameters=("bfloat16", "4:22"))  # fmt: skip
    row(tmp_path, "unet", {"c.json": text % "FLOAT_32"}, autocast=("bfloat16", "2:16"), parameters=("bfloat16", "3:17"),
        gradients=("none", None))  # fmt: skip


def test_simpletuners_half_weights_are_under_accelerates_autocast(tmp_path):
    text = '{"model_family": "flux", "model_type": "full",\n"mixed_precision": "bf16"}'
    row(tmp_path, "model", {"c.json": text}, parameters=("bfloat16", "2:20"), autocast=("bfloat16", "2:20"),
        outputs=("float32", "2:20"), optimizer_states=("bfloat16", "2:20"))  # fmt: skip
    row(tmp_path, "vae", {"c.json": text}, autocast=("off", None))


LAUNCHED = "accelerate launch --mixed_precision {} {} --pretrained_model_name_or_path m --instance_prompt x\n"


def test_lora_layers_follow_the_model_unless_the_script_itself_is_told_fp16(tmp_path):
    row(tmp_path, "lora", {"run.sh": LAUNCHED.format("fp16", "train_text_to_image_lora.py")},
        parameters=("float16", "1:37"), autocast=("float16", "1:37"))  # fmt: skip
    row(tmp_path, "lora", {"run.sh": LAUNCHED.format("fp16", "train_text_to_image_lora.py --mixed_precision fp16")},
        parameters=("float32", "1:88"), autocast=("float16", "1:88"))  # fmt: skip
    row(tmp_path, "lora", {"run.sh": LAUNCHED.format("bf16", "train_text_to_image_lora.py")},
        parameters=("bfloat16", "1:37"), compute=("bfloat16", "1:37"))  # fmt: skip


def test_sdxls_vae_encodes_in_float32_outside_autocast(tmp_path):
    row(tmp_path, "vae", {"run.sh": LAUNCHED.format("fp16", "train_dreambooth_lora_sdxl.py")},
        parameters=("float32", None), compute=("float32", None), autocast=("off", None))  # fmt: skip


def test_states_in_8_bits(tmp_path):
    toml = 'pretrained_model_name_or_path = "m"\nnetwork_module = "networks.lora"\noptimizer_type = "AdamW8bit"\n'
    row(tmp_path, "network", {"c.toml": f"{toml}network_dim = 16\n"}, optimizer_states=("uint8", "3:18"),
        parameters=("float32", None))  # fmt: skip
    row(tmp_path, "network", {"c.toml": toml}, optimizer_states=("float32, uint8", "3:18"))
    row(tmp_path, "network", {"c.toml": toml.replace("networks.lora", "lycoris.kohya")},
        optimizer_states=("unknown", None))  # fmt: skip


def test_torchtitan_has_autocast_only_without_fsdp(tmp_path):
    toml = '[training]\nmixed_precision_param = "bfloat16"\nseq_len = 8\n'
    row(tmp_path, "model", {"c.toml": toml}, autocast=("unknown", "2:25"), compute=("bfloat16", "2:25"))


def test_trl_is_bfloat16_where_nothing_is_said(tmp_path):
    row(tmp_path, "model", {"t.py": 'SFTConfig(output_dir="o", max_length=8)\n'}, autocast=("bfloat16", None))


def test_a_trainer_takes_the_launchers_precision_where_it_has_none(tmp_path):
    row(tmp_path, "adapter", {"t.yaml": TRAINER + "finetuning_type: lora\nstage: sft\n",
                              "a.yaml": "compute_environment: LOCAL_MACHINE\nmixed_precision: bf16\n"},
        autocast=("bfloat16", "2:18"))  # fmt: skip


def test_lightning_on_cpu(tmp_path):
    row(tmp_path, "module", {"t.py": 'Trainer(accelerator="cpu", precision=16)\n'},
        parameters=("float32", "1:38"), autocast=("bfloat16", "1:21"), loss_scaling=("off", "1:21"))  # fmt: skip


@sweep("system", known(), ids=lambda system: system.name)
def test_each_fact_has_its_source(system):
    assert system.version
    assert system.source
    names = [name for key in system.keys for name in (key.name, *key.aliases)]
    assert len(names) == len(set(names))
    assert [key.name for key in system.keys if not key.source] == []
    for key in system.keys:
        assert key.default is None or not key.allowed or key.default in key.allowed


PREPARED = (
    "import torch\nfrom accelerate import Accelerator\nfrom transformers import AutoModelForCausalLM\n"
    "accelerator = Accelerator()\nmodel = AutoModelForCausalLM.from_pretrained({}, torch_dtype=torch.bfloat16)\n"
)


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({}, ("off", None)),
        ({"t.py": PREPARED + "torch.backends.cuda.matmul.allow_tf32 = True\n"}, ("on", "6:41")),
        ({"t.py": PREPARED + "torch.set_float32_matmul_precision('highest')\n"}, ("off", "6:36")),
        ({"t.py": PREPARED + "torch.backends.cuda.matmul.allow_tf32 = args.fast\n"}, ("unknown", None)),
        ({"t.py": PREPARED.replace("Accelerator()", "Accelerator(dynamo_backend='inductor')")}, ("unknown", None)),
        ({".env": "NVIDIA_TF32_OVERRIDE=0\n"}, ("off", "1:22")),
        ({"fast.py": "import torch\nfrom accelerate import Accelerator\nAccelerator()\n"
                      "torch.backends.cuda.matmul.allow_tf32 = True\n"}, ("unknown", None)),
    ],
)  # fmt: skip
def test_tf32_is_off_where_a_program_was_read_that_does_not_switch_it_on(more, wanted, tmp_path):
    for name, text in ({"t.py": PREPARED} | more).items():
        (tmp_path / name).write_text(text.format("'m'"))
    tables = [run for run in lint([str(tmp_path)]).runs if run.table and str(tmp_path / "t.py") in run.files]
    (part,) = tables[0].table
    assert (part.tf32.value, part.tf32.by and f"{part.tf32.by.entry.at.line}:{part.tf32.by.entry.at.column}") == wanted


def test_tf32_is_unknown_where_no_program_was_read(tmp_path):
    row(tmp_path, "model", {"t.yaml": TRAINER + "fp16: true\n"}, tf32=("unknown", None))


def test_a_name_tells_the_class_of_a_model(tmp_path):
    known = {"attention": ("sdpa", "5:46"), "buffers": ("float32", "5:46")}
    unknown = {"attention": ("unknown", None), "buffers": ("unknown", None)}
    for name, cells in (
        ("meta-llama/Llama-3.1-8B", known), ("Qwen/Qwen2.5-7B-Instruct", known), ("google/gemma-2-9b", unknown),
        ("TheBloke/Llama-2-7B-GPTQ", unknown), ("Qwen/Qwen2-VL-7B", unknown), ("m", unknown),
    ):  # fmt: skip
        row(tmp_path, "model", {"t.py": PREPARED.format(f"'{name}'")}, **cells)
    row(tmp_path, "model", {"t.py": PREPARED.format("'llama', attn_implementation='eager'")}, attention=("eager", "5:75"))
    row(tmp_path, "model", {"t.py": PREPARED.format("'llama', **options")}, **unknown)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_name_tells_is_so_in_transformers(family):
    """Its class takes SDPA by itself, and keeps its only buffers in float32 beside half weights."""
    transformers = pytest.importorskip("transformers")
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
             "num_key_value_heads": 1, "vocab_size": 32, "head_dim": 8, "pad_token_id": 0}  # fmt: skip
    config = transformers.AutoConfig.for_model(family, **sizes)
    model = transformers.AutoModelForCausalLM.from_config(config, dtype="bfloat16")
    assert model.config._attn_implementation == "sdpa"
    assert {str(buffer.dtype) for buffer in model.buffers()} == {"torch.float32"}
    assert all("rotary_emb" in name for name, _ in model.named_buffers())
