"""Packages that programs are built on, the outermost first."""

from ..library import Library

LIBRARIES = (
    Library(
        name="unsloth", packages=("unsloth", "unsloth_zoo"), paths=("unsloth",),
        help={
            "dtype-mismatch": "unsloth: FastLanguageModel.from_pretrained(dtype=None) and the same fp16/bf16 in the "
            "trainer: fp16=not is_bfloat16_supported(), bf16=is_bfloat16_supported()",
        },
    ),
    Library(
        name="deepspeed", packages=("deepspeed",), paths=("deepspeed", "zero2.json", "zero3.json"),
        help={
            "precision-config": 'DeepSpeed: "bf16": {"enabled": "auto"}, "fp16": {"enabled": "auto"} in the file, and '
            "--bf16 or --fp16 in the trainer's arguments",
            "distributed-dtype": "DeepSpeed: load every part with the dtype of the config's fp16/bf16; ZeRO-3 gathers "
            "one dtype",
            "overflow-nan": 'DeepSpeed: bf16 instead of fp16, or a lower "initial_scale_power" and learning rate',
            "dtype-mismatch": "DeepSpeed casts the model to the config's fp16/bf16: cast the inputs to the same dtype",
        },
    ),
    Library(
        name="lightning", packages=("lightning", "pytorch_lightning", "lightning_fabric"),
        paths=("pytorch_lightning", "lightning/pytorch"),
        help={
            "dtype-mismatch": "Lightning: Trainer(precision='bf16-mixed') instead of .half(); 'bf16-true' casts the model, and you must cast the inputs",
            "precision-config": "Lightning: precision 16 or 'bf16' before 2.0, '16-mixed' or 'bf16-mixed' since",
            "device-mismatch": "Lightning: tensors made in steps need device=self.device; metrics belong in __init__ as "
            "attributes",
            "distributed-dtype": "Lightning FSDP: one dtype for all parameters: FSDPPrecision('bf16-true'), or cast in "
            "configure_model",
            "unsupported-dtype": "Lightning: Trainer(precision=32), or disable autocast for this op",
            "overflow-nan": "Lightning: precision='bf16-mixed', gradient_clip_val=1.0, Trainer(detect_anomaly=True)",
            "grad-scaler": "Lightning: precision='16-mixed' keeps float32 weights; do not call .half()",
        },
    ),
    Library(
        name="diffusers", packages=("diffusers",),
        paths=("diffusers", "train_dreambooth", "train_text_to_image", "train_controlnet", "train_unconditional"),
        help={
            "dtype-mismatch": "diffusers: one torch_dtype for the pipeline and for each part loaded separately (VAE, "
            "ControlNet, LoRA, adapters); validation under torch.autocast",
            "adapter-dtype": "diffusers: after load_lora_weights, pipe.unet.to(dtype=torch.float16); in training, cast "
            "LoRA parameters with cast_training_params and validate under torch.autocast",
            "grad-scaler": "diffusers: cast_training_params(model, dtype=torch.float32) after LoRA is added, and again "
            "after resuming",
            "device-mismatch": "diffusers: pipe.to(device) as a whole; with enable_model_cpu_offload, remove .to(); create torch.Generator on the device of the latents",
            "overflow-nan": "diffusers: pipe.vae.to(torch.float32), or the fp16-fix VAE",
            "half-on-cpu": "diffusers: torch_dtype=torch.float32 on the CPU",
        },
    ),
    Library(
        name="peft", packages=("peft",), paths=("/peft/", "qlora"),
        help={
            "dtype-mismatch": "peft: prepare_model_for_kbit_training for quantized bases, and bf16=True or fp16=True in "
            "the trainer; get_peft_model(…, autocast_adapter_dtype=…)",
            "grad-scaler": "peft: with fp16 in the trainer, keep adapters float32 (autocast_adapter_dtype=True)",
            "distributed-dtype": "peft with FSDP: autocast_adapter_dtype=False and one dtype for all",
        },
    ),
    Library(
        name="trl", packages=("trl",), paths=("/trl/",),
        help={"dtype-mismatch": "trl: the same bf16/fp16 in the config and torch_dtype in model_init_kwargs"},
    ),
    Library(
        name="bitsandbytes", packages=("bitsandbytes",), paths=("bitsandbytes",),
        help={
            "precision-config": "bitsandbytes: set bnb_4bit_compute_dtype=torch.bfloat16 and the same torch_dtype",
            "dtype-mismatch": "bitsandbytes: set the same bnb_4bit_compute_dtype and torch_dtype; run under torch.autocast",
            "distributed-dtype": "bitsandbytes with FSDP: bnb_4bit_quant_storage=torch.bfloat16",
        },
    ),
    Library(
        name="transformers", packages=("transformers", "sentence_transformers", "optimum"),
        paths=("transformers/", "modeling_"),
        help={
            "dtype-mismatch": "transformers: from_pretrained(…, torch_dtype='auto'), inputs of the model's dtype "
            "(.to(model.dtype)), and bf16=True or fp16=True in TrainingArguments",
            "gpu-lacks-bfloat16": "transformers: TrainingArguments(bf16=False, tf32=False, fp16=True)",
            "device-mismatch": "transformers: inputs.to(model.device); with device_map, do not call .to() on the model",
            "precision-config": "transformers: fp16, bf16 and the DeepSpeed file must agree",
            "grad-scaler": "transformers: with fp16=True load in float32, or use bf16=True",
            "half-on-cpu": "transformers: from_pretrained without torch_dtype=torch.float16 on the CPU",
        },
    ),
    Library(
        name="accelerate", packages=("accelerate",), paths=("accelerate",),
        help={
            "dtype-mismatch": "accelerate: Accelerator(mixed_precision=…) wraps the prepared model's forward only: "
            "put other calls under `with accelerator.autocast()`",
            "precision-config": "accelerate: run `accelerate config`, or --mixed_precision no on the CPU",
            "device-mismatch": "accelerate: pass the loader to accelerator.prepare, or x.to(accelerator.device)",
            "left-on-meta": "accelerate: a dispatched model is moved by its hooks: remove .to() and .cuda()",
            "grad-scaler": "accelerate: prepare float32 models; cast only what is not trained",
        },
    ),
    Library(
        name="mmcv", packages=("mmcv", "mmengine", "mmdet", "mmdet3d"), paths=("mmcv", "mmdet", "mmengine"),
        help={
            "dtype-mismatch": "mmcv: @auto_fp16 and @force_fp32 on the forward functions; fp16 = None in the config "
            "switches it off"
        },
    ),
    Library(
        name="apex", packages=("apex",), paths=("/apex/",),
        help={
            "precision-config": "apex: amp.initialize expects float32 models; torch.amp replaces apex.amp",
            "overflow-nan": "apex: skipped steps at the start are its search for a scale; if they never stop, the run diverges",
        },
    ),
)
