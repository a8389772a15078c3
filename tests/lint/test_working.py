"""Configurations that work get no finding: equivalents of what the projects ship, alone and together."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from miscast.lint import lint

sys.path.insert(0, str(Path(__file__).parent))

from cases import ACCELERATE, AXOLOTL, FACTORY, KOHYA, MINICPM, TRAINER, ZERO, sdxl
from cases.research import AUTOMODEL

from sweep import sweep

AUTO = """{
  "fp16": {"enabled": "auto", "loss_scale": 0, "loss_scale_window": 1000, "initial_scale_power": 16, "hysteresis": 2},
  "bf16": {"enabled": "auto"},
  "zero_optimization": {"stage": %d, "overlap_comm": true},
  "train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto"
}
"""
FLAT = """{
  "training_method": "FINE_TUNE", "debug_mode": false, "model_type": "STABLE_DIFFUSION_15_INPAINTING",
  "weight_dtype": "FLOAT_32", "text_encoder_weight_dtype": "NONE", "unet_weight_dtype": "NONE",
  "vae_weight_dtype": "FLOAT_32", "output_dtype": "FLOAT_32", "optimizer": "ADAMW", "learning_rate": 3e-06,
  "ema": "OFF", "train_text_encoder": true, "train_unet": true, "train_dtype": "FLOAT_16", "masked_training": true
}
"""
WORKING = {
    "accelerate: a half model that is not trained": {
        "t.py": "m = AutoModelForCausalLM.from_pretrained(p, torch_dtype=torch.float16)\naccelerator = Accelerator()\n",
        "a.yaml": ACCELERATE.format(kind="MULTI_GPU", value="fp16"),
    },
    "transformers: fp16 and float16 weights under FSDP2, which accelerate raises": {
        "t.yaml": TRAINER.format("fp16: true\ntorch_dtype: float16\nfsdp: full_shard"),
    },
    "automodel: bfloat16 and float8, as shipped": {
        "t.yaml": AUTOMODEL.format(dtype="bf16", more="") + "fp8:\n  enabled: true\n  recipe_name: tensorwise\n"
        "  enable_fsdp_float8_all_gather: true\n  precompute_float8_dynamic_scale_for_fsdp: true\n",
    },
    "automodel: a policy in full": {
        "t.yaml": AUTOMODEL.format(
            dtype="torch.bfloat16",
            more="  mp_policy:\n    _target_: torch.distributed.fsdp.MixedPrecisionPolicy\n    param_dtype: bfloat16\n"
            "    reduce_dtype: float32\n    output_dtype: bfloat16\n",
        ),
    },
    "onetrainer: float32 weights, float16 autocast": {"config.json": sdxl(train_dtype="FLOAT_16")},
    "onetrainer: masks, in the flat format": {"sd15.json": FLAT},
    "onetrainer: bfloat16 weights under float16, as shipped for SDXL": {
        "sdxl.json": FLAT.replace('"weight_dtype": "FLOAT_32"', '"weight_dtype": "BFLOAT_16"', 1).replace("15_INP", "XL_10")
    },
    "onetrainer: an embedding of a half encoder": {
        "e.json": '{"model_type": "STABLE_DIFFUSION_XL_10_BASE", "training_method": "EMBEDDING", '
        '"vae_weight_dtype": "FLOAT_32", "weight_dtype": "FLOAT_16"}'
    },
    "onetrainer: FLUX.2 in bfloat16": {
        "f.json": '{"model_type": "FLUX_2", "training_method": "FINE_TUNE", "learning_rate": 1e-6, "train_dtype": '
        '"BFLOAT_16", "transformer": {"train": true, "weight_dtype": "BFLOAT_16"}, "text_encoder": {"train": false, '
        '"weight_dtype": "FLOAT_8"}, "vae": {"weight_dtype": "FLOAT_32"}, "optimizer": {"optimizer": "ADAFACTOR"}}'
    },
    "simpletuner: JSON with dashes": {
        "config.json": '{"--data_backend_config": "b.json", "--model_type": "lora", "--model_family": "flux", '
        '"--mixed_precision": "bf16", "--optimizer": "adamw_bf16", "--learning_rate": "1e-4", '
        '"--base_model_precision": "int8-quanto", "--gradient_checkpointing": "true"}'
    },
    "simpletuner: an environment": {
        "config.env": 'export MIXED_PRECISION="bf16"\nexport OPTIMIZER="adamw_bf16"\nexport USE_EMA="false"\n'
        'export TRAINER_EXTRA_ARGS="--gradient_precision=unmodified --vae_dtype=bf16"\n'
    },
    "simpletuner: an environment, bfloat16 throughout": {
        "config.env": 'MIXED_PRECISION="bf16"\nPURE_BF16=true\nOPTIMIZER="adamw_bf16"\nUSE_EMA=false\n'
        'ALLOW_TF32=true\nGRADIENT_CHECKPOINTING=true\nTRAINER_EXTRA_ARGS=""\n'
    },
    "llamafactory: fp8 with both halves of the JSON off": {
        "fp8.yaml": "model_name_or_path: Qwen/Qwen2.5-7B\nstage: sft\nfinetuning_type: full\nbf16: true\nfp8: true\n"
        "fp8_backend: torchao\nlearning_rate: 5.0e-5\ndeepspeed: ds_fp8.json\n",
        "ds_fp8.json": '{"train_batch_size": "auto", "fp16": {"enabled": false}, "bf16": {"enabled": false}, '
        '"fp8": {"enabled": true, "fp8_format": "HYBRID"}, "zero_optimization": {"stage": 3}}',
    },
    "diffusers: SDXL under DeepSpeed in fp16": {
        "a.yaml": "compute_environment: LOCAL_MACHINE\ndeepspeed_config:\n  gradient_accumulation_steps: 1\n"
        "  offload_optimizer_device: none\n  zero3_init_flag: false\n  zero_stage: 2\n"
        "distributed_type: DEEPSPEED\nmixed_precision: fp16\nnum_processes: 2\n",
        "run.sh": "accelerate launch --config_file a.yaml train_text_to_image_lora_sdxl.py --train_text_encoder \\\n"
        '  --pretrained_vae_model_name_or_path=madebyollin/sdxl-vae-fp16-fix --mixed_precision="fp16" --rank 8\n',
    },
    "torch: 4 bits or 8 bits": {
        "model.py": "import torch\nfrom transformers import BitsAndBytesConfig\ndef quantization(args):\n"
        "    if args.four:\n        return BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=args.dtype)\n"
        "    return BitsAndBytesConfig(load_in_8bit=True) if args.eight else None\n"
    },
    "kohya: a LoRA of Flux in fp16": {
        "flux.sh": "accelerate launch --num_cpu_threads_per_process 1 flux_train_network.py --fp8_base "
        '--network_module=networks.lora_flux --optimizer_type="AdamW8bit" --mixed_precision="fp16" --sdpa\n'
    },
    "kohya: full_fp16 with a text encoder that is not trained, which sd-scripts runs under autocast": {
        "run.sh": "accelerate launch train_network.py --pretrained_model_name_or_path m --network_module networks.lora "
        "--mixed_precision fp16 --full_fp16 --network_train_unet_only\n"
    },
    "kohya: SDXL LoRA": {
        "run.sh": 'accelerate launch --mixed_precision bf16 sdxl_train_network.py --network_module=networks.lora \\\n  '
        '--mixed_precision="bf16" --save_precision="fp16" --no_half_vae --optimizer_type="AdamW8bit" "${EXTRA[@]}"\n'
    },
    "kohya: a TOML with sections": {
        "c.toml": '[training_arguments]\nmixed_precision = "fp16"\nsave_precision = "fp16"\n[network_arguments]\n'
        'network_module = "networks.lora"\n[model_arguments]\npretrained_model_name_or_path = "sd15"\n'
    },
    "kohya: fp8 base and full bf16": {
        "c.toml": KOHYA.format('mixed_precision = "bf16"\nfull_bf16 = true\nfp8_base = true\noptimizer_type = "adafactor"')
    },
    "accelerate: every kind": {
        f"{kind}.yaml": ACCELERATE.format(kind=kind, value=value)
        for kind, value in (("MULTI_GPU", "fp16"), ("NO", "'no'"), ("DEEPSPEED", "bf16"), ("FSDP", "bf16"))
    },
    "accelerate fills DeepSpeed's auto": {
        "run.sh": "accelerate launch --config_file a.yaml train.py --mixed_precision bf16\n", "ds.json": AUTO % 2,
        "a.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nmixed_precision: bf16\n"
        "deepspeed_config:\n  deepspeed_config_file: ds.json\n  zero3_init_flag: false\n",
    },
    "deepspeed: written for the Trainer, alone": {"ds_z3.json": AUTO % 3},
    "deepspeed: several, side by side": {f"ds_z{n}.json": AUTO % n for n in (0, 2, 3)},
    "deepspeed: ZeRO++ in fp16, as its manual has it; before ZeRO-3 it does nothing": {
        "a.json": ZERO.format('"fp16": {"enabled": true}').replace(
            '"stage": 2', '"stage": 3, "zero_quantized_weights": true, "zero_quantized_gradients": true'),
        "b.json": ZERO.format('"bf16": {"enabled": true}').replace('"stage": 2', '"stage": 2, "zero_quantized_gradients": true'),
        "c.json": ZERO.format('"bf16": {"enabled": true}').replace('"stage": 2', '"stage": 3, "zero_quantized_gradients": false'),
    },
    "deepspeed: fp16 and a bf16 that is off": {
        "ds.json": ZERO.format('"fp16": {"enabled": true, "loss_scale": 0}, "bf16": {"enabled": false}')
    },
    "transformers: a file": {"train.yaml": TRAINER.format("bf16: true\nfp16: false\ntf32: true")},
    "transformers: a script with DeepSpeed": {
        "run.sh": "deepspeed run_clm.py --output_dir o --per_device_train_batch_size 1 --bf16 --deepspeed ds.json\n",
        "ds.json": AUTO % 2,
    },
    "transformers: LoRA on float16 weights": {
        "t.py": "m = AutoModelForCausalLM.from_pretrained(n, torch_dtype=torch.float16)\n"
        'm = get_peft_model(m, LoraConfig(r=8))\na = TrainingArguments("o", fp16=True)\n'
    },
    "transformers: QLoRA in code": {
        "t.py": "q = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type='nf4', bnb_4bit_compute_dtype=torch.bfloat16)\n"
        'a = TrainingArguments("o", bf16=True, optim="paged_adamw_8bit")\n'
    },
    "trl: its own defaults, with accelerate": {
        "run.sh": "accelerate launch --config_file ds.yaml sft.py --output_dir o --use_peft --torch_dtype bfloat16 "
        "--per_device_train_batch_size 2\n",
        "ds.yaml": ACCELERATE.format(kind="DEEPSPEED", value="bf16"),
    },
    "axolotl: bf16 auto": {
        "c.yaml": AXOLOTL.format("bf16: auto\nfp16:\ntf32: false\nflash_attention: true\nsample_packing: true\n"
                                 "adapter: qlora\nload_in_4bit: true\nload_in_8bit: false")
    },
    "axolotl: fp8 with FSDP2": {
        "c.yaml": AXOLOTL.format("fp8: true\nfp8_enable_fsdp_float8_all_gather: true\nflex_attention: true\n"
                                 "sample_packing: true\nfsdp_config:\n  fsdp_version: 2")
    },
    "axolotl: many recipes in one folder": {
        f"{name}.yaml": AXOLOTL.format(body)
        for name, body in (("a", "bf16: true"), ("b", "fp16: true\nadapter: lora"), ("c", "bf16: auto\ndeepspeed: z.json"))
    } | {"z.json": AUTO % 1},
    "llamafactory: LoRA": {"t.yaml": FACTORY.format("bf16: true"), "ds.json": AUTO % 3},
    "llamafactory: pure_bf16 and an optimizer of its own": {"t.yaml": FACTORY.format("pure_bf16: true\nuse_galore: true")},
    "llamafactory: BAdam without a word on precision": {"t.yaml": FACTORY.format("use_badam: true")},
    "llamafactory: inference": {"i.yaml": "model_name_or_path: m\ntemplate: llama3\ninfer_dtype: bfloat16\n"},
    "llamafactory: fp8 under FSDP": {
        "t.yaml": FACTORY.format("bf16: true\nfp8: true\nfp8_backend: torchao\nfsdp: full_shard auto_wrap")
    },
    "minicpm: LoRA with ZeRO-2": {
        "f.sh": MINICPM.format("--fp16 false --tune_vision true --tune_llm false --use_lora true --deepspeed z2.json"),
        "z2.json": AUTO % 2,
    },
    "minicpm: int4, arguments in a variable": {
        "f.sh": 'ARGS="\n  --nproc_per_node 8 \\\n  --nnodes $N\n"\ntorchrun $ARGS finetune.py --bf16 false --fp16 true '
        "--tune_vision false --tune_llm false --use_lora true --q_lora true --output_dir o\n"
    },
    "sat: a command put together": {
        "f.sh": 'options=" \\\n  --experiment-name x-$TYPE \\\n  --mode finetune \\\n  --deepspeed_config ds.json \\\n"\n'
        'run_cmd="${NCCL} deepspeed --hostfile h finetune_cogvlm_demo.py ${options}"\necho ${run_cmd}\neval ${run_cmd}\n',
        "ds.json": ZERO.format('"bf16": {"enabled": true}, "fp16": {"enabled": false}'),
    },
    "sat: training in float32": {"t.sh": "deepspeed finetune_cogvlm_demo.py --experiment-name x --mode finetune\n"},
    "sat: inference": {"d.sh": "python cli_demo_sat.py --from_pretrained cogvlm-chat --bf16 --stream_chat\n"},
    "torchtune: full and QLoRA": {
        "a.yaml": "model:\n  _component_: torchtune.models.llama3.llama3_8b\ntokenizer:\n  _component_: t\ndtype: bf16\n"
        "optimizer:\n  _component_: torch.optim.AdamW\n  lr: 2e-5\n",
        "b.yaml": "model:\n  _component_: torchtune.models.llama3.qlora_llama3_8b\ntokenizer:\n  _component_: t\ndtype: bf16\n"
        "fsdp:\n  cpu_offload: False\n",
    },
    "torchtitan: a recipe": {
        "l.toml": '[model]\nname = "llama3"\nflavor = "8B"\n[optimizer]\nlr = 3e-4\n[training]\nlocal_batch_size = 1\n'
        'seq_len = 8192\nmixed_precision_param = "bfloat16"\nmixed_precision_reduce = "float32"\n'
    },
    "torchtitan: flame, without FSDP under autocast": {
        "fla.toml": '[job]\ndump_folder = "exp"\n[training]\nseq_len = 2048\nmixed_precision_param = "bfloat16"\n'
        "data_parallel_shard_degree = 1\ntensor_parallel_degree = 1\n[experimental]\npipeline_parallel_degree = 1\n",
        "t.sh": "torchrun --nproc_per_node=8 -m flame.train --job.config_file fla.toml --training.seq_len 4096\n",
    },
    "torchtitan: float8 as it was called in 0.1": {
        "l.toml": '[model]\nname = "llama3"\nflavor = "8B"\nconverters = ["float8"]\ntokenizer_path = "t"\n[training]\n'
        'batch_size = 1\nseq_len = 8192\n[float8]\nenable_fsdp_float8_all_gather = true\n'
    },
    "torchtitan: float8 as it is called in 0.2": {
        "l.toml": '[model]\nname = "llama3"\nflavor = "8B"\nconverters = ["quantize.linear.float8"]\n'
        '[training]\nlocal_batch_size = 1\nseq_len = 8192\n[quantize.linear.float8]\nemulate = true\n'
    },
    "torchtitan: a configuration in Python": {
        "c.py": "from torchtitan.config import ParallelismConfig, TrainingConfig\n"
        'training = TrainingConfig(seq_len=8192, dtype="float32", mixed_precision_reduce="bfloat16")\n'
        "parallelism = ParallelismConfig(data_parallel_shard_degree=1, tensor_parallel_degree=8)\n",
    },
    "lightning: code and a CLI file": {
        "t.py": 'trainer = L.Trainer(accelerator="gpu", precision="bf16-mixed", strategy="fsdp")\n'
        "fabric = Fabric(precision=precision)\n",
        "c.yaml": "trainer:\n  accelerator: gpu\n  precision: 16-mixed\n  max_epochs: 3\n",
    },
    "diffusers: DreamBooth": {
        "r.sh": 'export MODEL="sd3"\naccelerate launch train_dreambooth_lora_sd3.py --pretrained_model_name_or_path=$MODEL '
        '--instance_prompt="a" --mixed_precision="fp16" --learning_rate=1e-4 --use_8bit_adam\n'
    },
    "onetrainer: an encoder in the training's dtype, and all else by default": {
        "s.json": '{"model_type": "SANA", "training_method": "FINE_TUNE", "train_dtype": "BFLOAT_16", '
        '"text_encoder": {"train": false, "weight_dtype": "BFLOAT_16"}}',
        "p.json": '{"model_type": "PIXART_ALPHA", "training_method": "FINE_TUNE", "train_dtype": "BFLOAT_16", '
        '"transformer": {"weight_dtype": "BFLOAT_16"}, "text_encoder": {"train": false, "weight_dtype": "BFLOAT_16"}}',
    },
    "onetrainer: 4-bit encoders of a model with four": {
        "h.json": '{"model_type": "HI_DREAM_FULL", "training_method": "LORA", "train_dtype": "BFLOAT_16", "transformer": '
        '{"train": true, "weight_dtype": "FLOAT_8"}, "text_encoder_4": {"train": false, "weight_dtype": "NFLOAT_4"}}'
    },
    "onetrainer: SDXL in float16 with a VAE of its own": {
        "x.json": sdxl(train_dtype="FLOAT_16", vae="FLOAT_16").replace(
            '"vae": {', '"vae": {\n    "model_name": "some/sdxl-vae-fp16-fix",'
        )
    },
    "simpletuner: a whole file, with names that the Trainer has too": {
        "config.json": '{"data_backend_config": "b.json", "model_family": "sdxl", "model_type": "lora", "seed": 42, '
        '"output_dir": "out", "num_train_epochs": 0, "max_train_steps": 9, "lr_scheduler": "constant", "learning_rate": 1e-4, '
        '"mixed_precision": "bf16", "optimizer": "adamw_bf16", "resume_from_checkpoint": "latest", "push_to_hub": false, '
        '"gradient_checkpointing": true, "report_to": "none", "base_model_precision": "int8-torchao"}'
    },
    "simpletuner: a moving average, as shipped": {
        "config.json": '{"data_backend_config": "b.json", "model_family": "sana", "model_type": "lora", "use_ema": true, '
        '"mixed_precision": "bf16", "optimizer": "optimi-stableadamw", "base_model_precision": "no_change"}'
    },
    "kohya: a script of another project, whose default is the launcher's": {
        "run.sh": "accelerate launch --mixed_precision bf16 src/tuner/video_train_network.py --network_module n.lora \\\n"
        "  --optimizer_type adafactor --network_dim 16\n"
    },
    "accelerate: fp8 by handlers": {
        "t.py": 'a = Accelerator(mixed_precision="fp8", kwargs_handlers=[AORecipeKwargs()])\n',
    },
    "accelerate: words in capitals": {"a.yaml": ACCELERATE.format(kind="MULTI_GPU", value="BF16")},
    "axolotl: sharding that is named and empty, and a base in 8 bits": {
        "c.yaml": AXOLOTL.format("load_in_8bit: true\nadapter: lora\nbf16: auto\ndeepspeed:\nfsdp:\nfsdp_config:")
    },
    "axolotl: 8-bit states and 8-bit LoRA under FSDP2": {
        "a.yaml": AXOLOTL.format("bf16: true\nadapter: lora\noptimizer: adamw_bnb_8bit\nfsdp_version: 2\nfsdp_config:\n"
                                 "  offload_params: false"),
        "b.yaml": AXOLOTL.format("bf16: true\nadapter: lora\nload_in_8bit: true\nfsdp_version: 2\n"
                                 "fsdp_config:\n  offload_params: true"),
    },
    "axolotl: sections that are empty": {
        "c.yaml": AXOLOTL.format("bf16: auto\nadapter: lora\nlora_modules_to_save:\nlora_modules:\nfp8_config:\n")
    },
    "axolotl: models larger than they are stored, and divided ones": {
        "a.yaml": AXOLOTL.replace("Meta-Llama-3-8B", "Big-80B-NVFP4").format("adapter: lora\nbf16: true"),
        "b.yaml": AXOLOTL.replace("3-8B", "3-30B").format("bf16: true\nexpert_parallel_size: 8"),
        "c.yaml": AXOLOTL.replace("3-8B", "3-12B").format("bf16: true\noptimizer: adafactor"),
    },
    "llamafactory: 4 bits under FSDP": {
        "t.yaml": FACTORY.format("quantization_bit: 4\nbf16: true"),
        "a.yaml": ACCELERATE.format(kind="FSDP", value="bf16"),
    },
    "transformers: two trainings in one program": {
        "t.py": 'a = TrainingArguments("o", fp16=True)\nb = TrainingArguments("p", bf16=True)\n'
    },
    "transformers: half weights, which DeepSpeed masters": {
        "t.yaml": TRAINER.format("fp16: true\ntorch_dtype: float16\ndeepspeed: ds.json"), "ds.json": AUTO % 2,
    },
    "sat: ZeRO beside a flag": {
        "f.sh": "deepspeed finetune_cogvlm_demo.py --experiment-name x --model-parallel-size 1 --mode finetune "
        "--train-iters 10 --bf16 --zero-stage 2\n"
    },
    "lightning: inference in pure float16, and two Fabrics": {
        "t.py": 'f = Fabric(precision="16-true")\n', "u.py": 'f = Fabric(precision="bf16-true")\n'
        'g = Fabric(plugins=[BitsandbytesPrecision("nf4")])\n',
    },
    "deepspeed: scales within bounds, accumulation under ZeRO": {
        "ds.json": ZERO.format('"fp16": {"enabled": true, "loss_scale": 128, "min_loss_scale": 0}, '
                               '"data_types": {"grad_accum_dtype": "fp32", "param_dtype": "fp16"}')
    },
    "torch: a function sets a variable for its children": {
        "t.py": 'import torch\ndef launch():\n    os.environ["PYTORCH_ENABLE_MPS_FALLBACK"] = "1"\n'
        "torch.backends.cuda.matmul.allow_tf32 = True\n"
    },
    "diffusers: a moving average, and a VAE that is repaired": {
        "r.sh": "accelerate launch --mixed_precision=fp16 train_text_to_image_sdxl.py --pretrained_model_name_or_path=m "
        "--use_ema --pretrained_vae_model_name_or_path=madebyollin/sdxl-vae-fp16-fix\n"
    },
    "deepspeed: ranges of an autotuner": {
        "ds.json": '{"train_batch_size": 8, "zero_optimization": {"stage": [0, 1, 2, 3]}, "fp16": {"enabled": [true, false]}, '
        '"bf16": {"enabled": true, "bf16_master_weights_and_grads": true, "hysteresis": "auto"}}'
    },
    "deepspeed: auto beside sizes that are numbers, for accelerate in code": {
        "ds.json": '{"fp16": {"enabled": "auto"}, "bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 3}, '
        '"train_micro_batch_size_per_gpu": 1}'
    },
    "deepspeed: a script with a parser of its own": {
        "run.sh": "deepspeed --num_gpus=2 finetune.py --deepspeed_config=ds.json --model_name m --num_train_epochs 3 \\\n"
        "  --output_dir o --per_device_train_batch_size 1\n",
        "ds.json": ZERO.format('"bf16": {"enabled": true}'),
    },
    "transformers: QLoRA by an option of the script's own": {
        "run.sh": "python qlora.py --model_name_or_path org/llama-65b --bits 4 --bf16 --output_dir o --max_steps 9\n"
    },
    "transformers: LoRA by an option that is not peft's": {
        "run.sh": "accelerate launch train.py --model_name_or_path org/Llama-70b-hf --bf16 True --output_dir o \\\n"
        "  --use_peft_lora True --use_4bit_quantization True --per_device_train_batch_size 2 --optm adamw\n",
        "t.yaml": TRAINER.format("bf16: true\nmodel_name_or_path: org/Big-70B\nuse_4bit_quantization: true"),
    },
    "transformers: flash attention under autocast": {
        "t.py": "with torch.device('cuda'), torch.autocast('cuda', dtype=torch.bfloat16):\n"
        "    m = AutoModel.from_pretrained(n, dtype=torch.float32, attn_implementation='flash_attention_2')\n",
        "u.py": "def build(n, **more):\n    return AutoModel.from_pretrained(\n        n, dtype=torch.float32, "
        "attn_implementation='org/flash-attn3', **more)\na = TrainingArguments('o', bf16=True)\n",
    },
    "llamafactory: what trains less than all, or elsewhere": {
        name: FACTORY.replace("finetuning_type: lora", f"finetuning_type: {kind}").format(
            f"bf16: true\n{more}").replace("model_name_or_path: ", "model_name_or_path: org/Big-70B  # ")
        for name, kind, more in (
            ("oft.yaml", "oft", "quantization_method: bnb"), ("freeze.yaml", "freeze", "freeze_trainable_layers: 8"),
            ("badam.yaml", "full", "use_badam: true\npure_bf16: true"), ("kt.yaml", "lora", "use_kt: true"),
            ("mca.yaml", "full", "tensor_model_parallel_size: 4"),
        )
    },
    "llamafactory: a data set is made, nothing is trained": {
        "t.yaml": FACTORY.format("tokenized_path: saves/data")
    },
    "axolotl: a base in 4 bits under FSDP2": {
        "c.yaml": AXOLOTL.format("load_in_4bit: true\nadapter: qlora\nbf16: true\nfsdp_version: 2\nfsdp_config:\n"
                                 "  fsdp_cpu_ram_efficient_loading: true")
    },
    "axolotl: states in the host's memory": {
        "c.yaml": AXOLOTL.replace("3-8B", "3-15B").format("bf16: true\noptimizer: paged_adamw_8bit")
    },
    "simpletuner: quantizers of its head": {
        f"{name}.json": f'{{"model_family": "flux2", "model_type": "lora", "base_model_precision": "{name}", '
        '"text_encoder_1_precision": "int8-sdnq", "mixed_precision": "bf16", "optimizer": "adamw_bf16"}'
        for name in ("int8-sdnq", "fp8wo-torchao")
    },
    "lightning: a composition of OmegaConf's": {
        "a.yaml": "precision: bf16\nexport:\n  dtype: ${precision}\ntrainer:\n  precision: ${export.dtype}\n"
        "  accelerator: gpu\n",
        "b.yaml": "trainer:\n  precision: bf16-mixed\n  accelerator: gpu\nfabric:\n  precision: ${trainer.precision}\n",
    },
    "accelerate: fp8 by a plugin of DeepSpeed's": {
        "t.py": 'a = Accelerator(mixed_precision="fp8", deepspeed_plugin=DeepSpeedPlugin(hf_ds_config=c, enable_msamp=True))\n'
    },
    "torch: a policy that nothing is sharded by": {
        "t.py": "policy = MixedPrecisionPolicy(param_dtype=torch.float16)\nsharded(model, mp_policy=policy)\n"
    },
    "vllm: servers as their guides start them": {
        "a.sh": "vllm serve org/Model --dtype half --quantization awq --kv-cache-dtype fp8 --tensor-parallel-size 2\n",
        "b.sh": "srun --gpus=8 --ntasks-per-node 1 bash -c 'python -m vllm.entrypoints.openai.api_server --model m "
        "--dtype bfloat16 --quantization awq_marlin'\n",
        "c.py": "from vllm import LLM\nllm = LLM(model='m', dtype='auto', quantization='gptq')\n",
        "d.sh": "vllm serve org/Model-AWQ --dtype bfloat16 --quantization awq -tp 2\n",
    },
    "sglang: a server": {
        "a.sh": "python3 -m sglang.launch_server --model-path m --dtype bfloat16 --kv-cache-dtype fp8_e5m2 --tp 8\n"
    },
    "ultralytics: training, prediction, export": {
        "a.sh": "yolo detect train data=coco8.yaml model=yolo11n.pt epochs=3 imgsz=640 amp=False\n"
        "yolo predict model=yolo11n.pt source=a.jpg half=True device=0\nyolo export model=y.pt format=engine half=True\n"
        "yolo export model=y.pt format=onnx half=True device=cpu\nyolo export model=y.pt format=onnx quantize=16 int8=True\n"
        "yolo train amp=true data=d\nyolo train amp=FP16 data=d\nyolo val quantize=None\nyolo export quantize=W8A16 format=onnx\n"
    },
    "megatron: bf16, with fp8 on Hopper": {
        "t.sh": 'MODEL_ARGS=(\n  --num-layers 32\n  --bf16\n  --fp8-format hybrid\n  --main-grads-dtype fp32\n)\n'
        'torchrun --nproc_per_node 8 pretrain_gpt.py "${MODEL_ARGS[@]}" --grad-reduce-in-bf16\n'
    },
    "composer: a fine-tuning of llm-foundry's": {
        "f.yaml": "max_seq_len: 2048\nmodel:\n  name: mpt_causal_lm\nmax_duration: 1ep\nglobal_train_batch_size: 8\n"
        "precision: amp_bf16\nfsdp_config:\n  mixed_precision: PURE\n",
        "t.py": "import composer\nfrom composer.trainer import Trainer\nTrainer(model=m, precision='amp_fp16')\n",
    },
    "swift: LoRA with DeepSpeed by name, and a quantized base": {
        "t.sh": "NPROC_PER_NODE=8 swift sft --model org/Model-72B --tuner_type lora --torch_dtype bfloat16 --quant_bits 4 \\\n"
        "  --quant_method bnb --bnb_4bit_compute_dtype bfloat16 --deepspeed zero3 --attn_impl flash_attn\n",
        "r.sh": "swift rlhf --rlhf_type dpo --model m --train_type full --deepspeed ds.json\n", "ds.json": AUTO % 2,
    },
    "openrlhf: SFT and PPO through ray": {
        "a.sh": "deepspeed --module openrlhf.cli.train_sft --ds.param_dtype bf16 --ds.zero_stage 3 --ds.attn_implementation "
        "flash_attention_2\nray job submit --address=x --runtime-env-json='{}' -- python3 -m openrlhf.cli.train_ppo_ray "
        "--bf16 --zero_stage 3\n"
    },
    "verl: overrides, and a YAML": {
        "a.sh": "set -x\npython3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo \\\n"
        "  actor_rollout_ref.actor.fsdp_config.model_dtype=bfloat16 actor_rollout_ref.rollout.dtype=half $@\n",
        "b.yaml": "actor_rollout_ref:\n  actor:\n    fsdp_config:\n      model_dtype: fp32\n  rollout:\n"
        "    dtype: ${oc.select:actor_rollout_ref.dtype,bfloat16}\n",
    },
    "diffusion-pipe: a frozen transformer in float8": {
        "t.toml": "output_dir = 'o'\nsave_dtype = 'bfloat16'\n[model]\ntype = 'wan'\ndtype = 'bfloat16'\n"
        "transformer_dtype = 'float8'\n[adapter]\ntype = 'lora'\nrank = 32\ndtype = 'bfloat16'\n"
        "[optimizer]\ntype = 'adamw_optimi'\nlr = 2e-5\n"
    },
    "ai-toolkit: a LoRA on a quantized base": {
        "t.yaml": "job: extension\nconfig:\n  name: n\n  process:\n    - type: sd_trainer\n      network:\n"
        "        type: lora\n        linear: 16\n      save:\n        dtype: float16\n      train:\n        dtype: bf16\n"
        "        optimizer: adamw8bit\n      model:\n        name_or_path: org/M\n        quantize: true\n"
    },
    "musubi: the launcher's precision": {
        "t.sh": "accelerate launch --num_cpu_threads_per_process 1 --mixed_precision bf16 "
        "src/musubi_tuner/wan_train_network.py --dit d.safetensors --dataset_config d.toml --fp8_base --fp8_scaled \\\n"
        "  --network_module networks.lora_wan --network_dim 32 --optimizer_type adamw8bit\n"
    },
    "diffusers: a launcher's fp16 that the script is given, too": {
        "t.sh": "accelerate launch --mixed_precision fp16 train_text_to_image_lora.py --mixed_precision fp16 "
        "--pretrained_model_name_or_path=m\naccelerate launch --mixed_precision fp16 train_text_to_image.py "
        "--pretrained_model_name_or_path=m\n"
    },
    "accelerate: its DeepSpeed's half is its own": {
        "a.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nmixed_precision: bf16\n"
        "deepspeed_config:\n  zero_stage: 2\n  bf16:\n    enabled: true\n"
    },
    "diffusers: an option of a script of its own": {
        "t.sh": "accelerate launch train_dreambooth_lora_sdxl_advanced.py --pretrained_model_name_or_path=m "
        "--mixed_precision bf16 --train_text_encoder_ti --instance_prompt p\n"
    },
    "verl: an option that looks like another": {
        "t.sh": "python3 -m verl.trainer.main_ppo actor_rollout_ref.rollout.top_p=1 actor_rollout_ref.ref.strategy=fsdp\n"
    },
    "musubi: generation": {
        "t.sh": "accelerate launch src/musubi_tuner/wan_train_network.py --dit d --network_module n --fp8_base\n"
        "python kandinsky5_generate_video.py --dit d --fp8_base --dtype bfloat16 --prompt p\n"
    },
    "vllm: a dtype of torch's, in a notebook": {
        "a.ipynb": '{"cells": [\n {"cell_type": "code", "source": ["from vllm import LLM\\n",\n "LLM(model=m, '
        'dtype=torch.float16)"]},\n {"cell_type": "code", "source": ["not python"]},\n {"cell_type": "markdown", '
        '"source": ["!vllm serve m --dtype fp16"]}]}'
    },
    "megatron: a page with two commands, and prose": {
        "README.md": "Use `--fp16` or --bf16.\n```bash\n$ torchrun pretrain_gpt.py --bf16 --num-layers 2\n```\n"
        "~~~sh\ntorchrun pretrain_gpt.py --fp16 --num-layers 2 --use-torch-fsdp2-not\n~~~\n"
        "```python\nTrainer(precision=13)\n```\n```text\nvllm serve m --dtype fp16\n```\n"
    },
    "fairseq: flags, and Hydra's YAML": {
        "a.sh": "fairseq-train data-bin --arch transformer --memory-efficient-fp16 --ddp-backend fully_sharded\n"
        "CUDA_VISIBLE_DEVICES=0 fairseq-train data-bin --arch bart --fp16 --fp16-init-scale 4 --optimizer adam\n"
        "fairseq-hydra-train common.fp16=true task.data=d --config-dir c --config-name n\n",
        "b.yaml": "# @package _group_\ncommon:\n  fp16: true\ntask:\n  _name: audio_pretraining\ncriterion:\n  _name: w\n",
    },
    "detectron2: a YAML, and pairs": {
        "a.yaml": "MODEL:\n  META_ARCHITECTURE: RetinaNet\nSOLVER:\n  IMS_PER_BATCH: 16\n  AMP:\n    ENABLED: true\n",
        "a.sh": "./train_net.py --num-gpus 8 --config-file a.yaml SOLVER.AMP.ENABLED True SOLVER.BASE_LR 0.02\n",
    },
    "xflux: LoRA": {
        "a.yaml": "model_name: flux-dev\ndata_config:\n  train_batch_size: 1\nmixed_precision: bf16\nrank: 16\n",
        "t.sh": "accelerate launch train_flux_lora_deepspeed.py --config a.yaml\n",
    },
    "nemo: recipes": {
        "a.py": "from nemo.collections.llm.recipes.precision.mixed_precision import bf16_mixed\nt = Trainer(plugins=bf16_mixed())\n",
        "b.py": "import nemo.lightning as nl\np = nl.MegatronMixedPrecision(precision='bf16-mixed', fp8='e4m3')\n",
        "c.py": "from mine import bf16_mixed\nbf16_mixed(precision='whatever')\n",
    },
    "opensora: training and inference": {
        "a.py": "_base_ = ['x.py']\nplugin = 'hybrid'\nckpt_every = 2\ndtype = 'bf16'\nmodel = dict(type='flux')\n",
        "b.py": "dtype = 'half'\nae = dict(type='vae')\nmodel = dict(type='flux', dtype='whatever')\n",
    },
    "mmengine: QLoRA of XTuner's": {
        "c.py": "import torch\nfrom mmengine.optim import AmpOptimWrapper\nfrom transformers import BitsAndBytesConfig\n"
        "with read_base():\n    from .base import *\nmodel = dict(quantization_config=dict(type=BitsAndBytesConfig, "
        "load_in_4bit=True, bnb_4bit_compute_dtype=torch.float16))\n"
        "optim_wrapper = dict(type=AmpOptimWrapper, optimizer=dict(type='AdamW'), dtype='float16')\n",
        "scale.py": "optim_wrapper = dict(type='AmpOptimWrapper', loss_scale=dict(init_scale=2.0**16))\n",
        "plain.py": "optim_wrapper = dict(type='OptimWrapper', loss_scale=512)\n",
        "decided.py": "optim_wrapper = dict(type='AmpOptimWrapper', dtype='bf16')\nif True:\n    optim_wrapper = None\n"
        "n = int(2)\n",
        "script.py": "optim_wrapper = dict(type='AmpOptimWrapper', dtype='whatever')\nprint(optim_wrapper)\n",
        "program.py": "def main(): ...\noptim_wrapper = dict(type='AmpOptimWrapper', dtype='whatever')\n",
    },
    "other files": {
        "no_trainer.yaml": "model_name_or_path: m/Llama-3.1-70B\nper_device_train_batch_size: 1\nlearning_rate: 1e-5\n"
        "output_dir: o\nnum_train_epochs: 2\nwith_tracking: true\ncheckpointing_steps: epoch\n",
        "own.py": 'from mine.config import TrainingConfig\nTrainingConfig(dtype="float64", steps=1)\n',
        "package.json": '{"name": "x"}', "config.json": '{"architectures": ["A"], "torch_dtype": "bfloat16"}',
        "ci.yaml": "on: push\njobs:\n  a:\n    runs-on: x\n", "pyproject.toml": "[project]\nname = 'x'\n",
        "generation_config.json": '{"do_sample": true}', "t.py": "print('hello')\n",
        "w.py": "class LLM: ...\nLLM(dtype='bf16')\nfrom .serving import LLM as Other\nOther(dtype='int4')\n",
        "u.py": 'from mosaic.trainer import Trainer\nTrainer(model=m, precision="amp_bf16", max_duration="1ba")\n',
        "v.py": 'from .trainer import Trainer\nimport other as pl\nTrainer(precision="fp32"), pl.Trainer(precision="a")\n',
    },
}  # fmt: skip


@pytest.mark.parametrize("machine", [None, "h100"])
@sweep("case", WORKING)
def test_what_works_gets_no_finding(case, machine, tmp_path):
    for name, text in WORKING[case].items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    outcome = lint([str(tmp_path)], machine)
    assert [(f.rule, f.message) for f in outcome.report.findings] == []
    assert outcome.broken == ()


NEW_ENOUGH = {
    "AWQ on Turing": ("vllm serve org/Model-AWQ --quantization awq --dtype half\n", "t4"),
    "a cache in float8 on Ampere, by FlashInfer": ("vllm serve m --kv-cache-dtype fp8\n", "rtx3090"),
    "mxfp4 on Ampere": ("vllm serve openai/gpt-oss-120b\n", "a100-80"),
    "GPTQ on Pascal": ("vllm serve m --quantization gptq --dtype half\n", "p100"),
    "AWQ on another maker's GPU": ("vllm serve m --quantization awq\n", "mi300x"),
}


@pytest.mark.parametrize("case", NEW_ENOUGH)
def test_a_machine_that_suffices_gets_no_finding(case, tmp_path):
    text, machine = NEW_ENOUGH[case]
    (tmp_path / "serve.sh").write_text(text)
    assert lint([str(tmp_path)], machine).report.findings == ()


@sweep("case", [case for case in WORKING if case != "other files"])
def test_it_is_recognised(case, tmp_path):
    for name, text in WORKING[case].items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    systems = {view.system.name for run in lint([str(tmp_path)]).runs for view in run.views}
    wanted = {"accelerate fills DeepSpeed's auto": "accelerate"}.get(case, case.partition(":")[0])
    assert wanted in systems | ({"trl"} if "transformers" in systems else set())


@sweep("case", [case for case, files in WORKING.items() if any(".yaml" in name for name in files)])
def test_a_key_without_a_value_is_as_none_where_null_is_the_default(case, tmp_path):
    """`adapter:` in an axolotl's YAML is no adapter."""
    for name, text in WORKING[case].items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    before = lint([str(tmp_path)])
    for document, view in [(d, one) for run in before.runs for one in run.views for d in one.documents]:
        if document.file.endswith(".yaml"):
            new = (key for key in view.system.keys if key.default is None and not view.settings.get(key.name))
            with open(document.file, "a", encoding="utf-8") as file:
                file.writelines(f"{key.name}:\n" for key in new if "." not in key.name)
    assert _cells(lint([str(tmp_path)])) == _cells(before)


def _cells(outcome):
    views = [(run, view) for run in outcome.runs for view in run.views if view.system.effective]
    parts = [part for run, view in views for part in view.system.effective(view, run)]
    return [(part.name, name, cell.value) for part in parts for name, cell in part.cells()]
