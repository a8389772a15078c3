"""Contradictions of fairseq, detectron2, x-flux and NeMo 2, and of configurations that others are composed of."""

from __future__ import annotations

from . import Case

AUTOMODEL = (
    "recipe: TrainFinetuneRecipeForNextTokenPrediction\nstep_scheduler:\n  max_steps: 100\nmodel:\n"
    "  _target_: nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained\n  torch_dtype: {dtype}\n"
    "distributed:\n  strategy: fsdp2\n{more}optimizer:\n  _target_: torch.optim.AdamW\n  lr: 1.0e-5\n"
)
FP8 = "fp8:\n  enabled: {on}\n  recipe_name: {recipe}\n  {key}: {value}\n"
LORA = "peft:\n  _target_: ▸nemo_automodel.components._peft.lora.PeftConfig\n"
FAIRSEQ = "common:\n{}task:\n  _name: audio_pretraining\ncriterion:\n  _name: wav2vec\n"

CASES = {
    "fairseq: two halves": Case(
        files={"t.sh": "fairseq-train data-bin --arch transformer --fp16 --memory-efficient-bf16 --bf16 --max-tokens 4096\n"
               .replace("--fp16", "▸--fp16")},
        rule="both-half-dtypes", says="Cannot combine --fp16 and --tpu", fix=(" --bf16", ""),
    ),
    "fairseq: fp16 and amp, in Hydra's YAML": Case(
        files={"t.yaml": FAIRSEQ.format("  fp16: ▸true\n  amp: true\n")},
        rule="both-half-dtypes", says="Cannot use fp16 and AMP together", fix=("amp: true", "amp: false"),
    ),
    "fairseq: bfloat16 under FSDP": Case(
        files={"t.sh": "fairseq-train data-bin --arch transformer_lm_gpt --ddp-backend fully_sharded ▸--bf16\n"},
        rule="strategy-excludes-precision", says="not compatible with --bf16", fix=("--bf16", "--fp16"),
    ),
    "nemo: a precision in words of torch's": Case(
        files={"t.py": "from nemo import lightning as nl\nplugin = nl.MegatronMixedPrecision(precision=▸'bfloat16')\n"},
        rule="rejected-value", says="switches none of fp32, fp16 and bf16 on", fix=("bfloat16", "bf16-mixed"),
    ),
    "detectron2: AMP without CUDA": Case(
        files={"t.yaml": "MODEL:\n  META_ARCHITECTURE: R\nSOLVER:\n  AMP:\n    ENABLED: ▸true\n"}, machine="m2",
        rule="float16-on-cpu", says="CUDA is required for AMP training", fix=("true", "false"),
    ),
    "detectron2: AMP of the file that another is based on": Case(
        files={"base.yaml": "SOLVER:\n  AMP:\n    ENABLED: ▸true\n  IMS_PER_BATCH: 16\n",
               "sub/t.yaml": "_BASE_: ../base.yaml\nMODEL:\n  WEIGHTS: w\n"}, machine="cpu",
        rule="float16-on-cpu", says="CUDA is required for AMP training", fix=("true", "false"),
    ),
    "hydra: a precision of a group's file, composed for Lightning": Case(
        files={"conf/train.yaml": "defaults:\n  - _self_\n  - trainer: gpu\n  - logger: null\ntask: t\n",
               "conf/trainer/gpu.yaml": "defaults:\n  - base\nprecision: ▸fp16\n",
               "conf/trainer/base.yaml": "max_epochs: 1\ndevices: 1\n"},
        rule="rejected-value", says="'fp16' is invalid", fix=("fp16", "16-mixed"),
    ),
    "hydra: a precision that another group's file gives": Case(
        files={"train.yaml": "defaults:\n  - trainer: gpu\n  - common@exp: shared\n",
               "trainer/gpu.yaml": "max_epochs: 1\nstrategy: auto\nprecision: ▸${exp.half}\n",
               "common/shared.yaml": "half: fp16\n"},
        rule="rejected-value", says="'fp16' is invalid", fix=("half: fp16", "half: bf16"),
    ),
    "xflux: float32 by name": Case(
        files={"t.yaml": "model_name: flux-dev\ndata_config:\n  train_batch_size: 1\nmixed_precision: ▸fp32\n"},
        rule="rejected-value", says="fp32", fix=("fp32", "bf16"),
    ),
    "lerobot: a policy in float16": Case(
        files={"t.sh": "accelerate launch --mixed_precision=bf16 $(which lerobot-train) --policy.type=pi0 "
               '--policy.dtype=▸float16 "$@"\n'},
        rule="rejected-value", says="ValueError: Invalid dtype: float16", fix=("dtype=float16", "dtype=bfloat16"),
    ),
    "lerobot: autocast of the policy alone": Case(
        files={"t.sh": "lerobot-train --policy.type=act --policy.use_amp=▸true --batch_size=8\n"}, severity="warning",
        rule="setting-has-no-effect", says="training casts as accelerate's launcher says",
        fix=(" --policy.use_amp=true", ""),
    ),
    "automodel: a dtype by a short name that it does not know": Case(
        files={"t.yaml": AUTOMODEL.format(dtype="▸fp16", more="")},
        rule="rejected-value", says="KeyError: Unknown dtype string: fp16", fix=("fp16", "bf16"),
    ),
    "automodel: FSDP2 computes in float16": Case(
        files={"t.yaml": AUTOMODEL.format(dtype="float32", more="  mp_policy:\n    param_dtype: ▸float16\n")},
        rule="float16-without-loss-scaling", severity="warning",
        says="small gradients underflow", fix=("float16", "bfloat16"),
    ),
    "automodel: float16 weights": Case(
        files={"t.yaml": AUTOMODEL.format(dtype="▸torch.float16", more="")},
        rule="float16-without-loss-scaling", severity="warning", says="small gradients underflow",
        fix=("torch.float16", "torch.bfloat16"),
    ),
    "automodel: autocast to float16": Case(
        files={"t.yaml": AUTOMODEL.format(dtype="float32", more="  autocast_dtype: ▸float16\n")},
        rule="float16-without-loss-scaling", severity="warning", says="small gradients underflow",
        fix=("float16", "bfloat16"),
    ),
    "automodel: float8 on a GPU without products of it": Case(
        files={"t.yaml": AUTOMODEL.format(dtype="bf16", more="") + "fp8:\n  enabled: ▸true\n"}, machine="a100",
        rule="fp8-not-available", says="only supported on SM89 or later", fix=("enabled: true", "enabled: false"),
    ),
    "automodel: scales in advance, by rows": Case(
        files={"t.yaml": AUTOMODEL.format(dtype="bf16", more="") + FP8.format(
            on="true", recipe="rowwise", key="precompute_float8_dynamic_scale_for_fsdp", value="▸true")},
        rule="setting-has-no-effect", severity="warning", says="scales are not computed in advance",
        fix=("fsdp: true", "fsdp: false"),
    ),
    "automodel: a gather in float8, by rows": Case(
        files={"t.yaml": AUTOMODEL.format(dtype="bf16", more="") + FP8.format(
            on="true", recipe="rowwise", key="enable_fsdp_float8_all_gather", value="▸true")},
        rule="setting-has-no-effect", severity="warning", says="gathers in the weights' dtype",
        fix=("gather: true", "gather: false"),
    ),
    "automodel: a policy on one GPU, which skips FSDP2": Case(
        files={"t.yaml": AUTOMODEL.format(dtype="float32", more="  mp_policy:\n    param_dtype: ▸bfloat16\n")},
        machine="a100", rule="setting-has-no-effect", severity="warning", says="computes in the dtype of its weights",
        fix=("torch_dtype: float32", "torch_dtype: bfloat16"),
    ),
    "automodel: an adapter on float32 weights on one GPU": Case(
        files={"t.yaml": AUTOMODEL.format(dtype="float32", more=LORA)}, machine="a100",
        rule="half-model-given-float32", says="got: c10::BFloat16 != float",
        fix=("torch_dtype: float32", "torch_dtype: bfloat16"),
    ),
    "automodel: outputs in float32 for a head in bfloat16": Case(
        files={"t.yaml": AUTOMODEL.format(dtype="float32", more="  mp_policy:\n    output_dtype: ▸float32\n")},
        machine="8xh100", rule="half-model-given-float32", says="got: float != c10::BFloat16",
        fix=("output_dtype: float32", "output_dtype: bfloat16"),
    ),
}  # fmt: skip
