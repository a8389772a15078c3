"""Whole programs of the field at tiny size, as people write them: pipelines, trainers, checkpoints, adapters.

Each runs on a virtual GPU without a finding; what it returns is compared by dtype and device.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import accelerate
import diffusers
import peft
import torch
import torch.nn.functional as F
import transformers
from diffusers.training_utils import EMAModel

from . import tiny


class Tokenizer:
    """As much of a tokenizer as the pipelines ask for."""

    model_max_length = 16
    added_tokens_encoder: dict[str, int] = {}  # noqa: RUF012 - transformers' own attribute

    def __call__(self, text: Any, *, max_length: int = 16, **_: Any) -> transformers.BatchEncoding:
        ids = torch.full((len(text) if isinstance(text, list) else 1, max_length), 49)
        ids[:, 0] = 0
        ids[:, 1:4] = torch.tensor([5, 6, 7])
        return transformers.BatchEncoding({"input_ids": ids, "attention_mask": torch.ones_like(ids)})

    def tokenize(self, text: str) -> list[str]:
        return text.split()


def sd() -> diffusers.StableDiffusionPipeline:
    pipe = diffusers.StableDiffusionPipeline(
        vae=tiny.vae(),
        text_encoder=tiny.clip_text(),
        tokenizer=Tokenizer(),
        unet=tiny.unet(),
        scheduler=diffusers.DDIMScheduler(),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    )
    pipe.set_progress_bar_config(disable=True)
    return pipe


def sdxl() -> diffusers.StableDiffusionXLPipeline:
    pipe = diffusers.StableDiffusionXLPipeline(
        vae=tiny.vae(),
        text_encoder=tiny.clip_text(),
        text_encoder_2=tiny.clip_text_projected(),
        tokenizer=Tokenizer(),
        tokenizer_2=Tokenizer(),
        unet=tiny.unet_xl(cross_attention_dim=2 * tiny.CONTEXT),
        scheduler=diffusers.EulerDiscreteScheduler(),
        add_watermarker=False,
    )
    pipe.set_progress_bar_config(disable=True)
    return pipe


def sample(build: Callable[[], Any], dtype: torch.dtype, prepare: str = "", output_type: str = "pt") -> Any:
    pipe = build()
    pipe.to(dtype)
    if prepare:
        getattr(pipe, prepare)()
    else:
        pipe.to("cuda")
    generator = torch.Generator("cuda").manual_seed(1)
    out = pipe("a cat", num_inference_steps=2, height=16, width=16, generator=generator, output_type=output_type)
    return out.images if output_type != "pil" else type(out.images[0]).__name__


def reloaded_unet() -> Any:
    kind = diffusers.UNet2DConditionModel
    with tempfile.TemporaryDirectory() as folder:
        tiny.unet().half().save_pretrained(folder)
        plain = kind.from_pretrained(folder)
        half = kind.from_pretrained(folder, torch_dtype=torch.float16)
        placed = kind.from_pretrained(folder, torch_dtype=torch.bfloat16, device_map="cuda")
        return [model.conv_in.weight for model in (plain, half, placed)]


def reloaded_llama() -> Any:
    kind = transformers.AutoModelForCausalLM
    with tempfile.TemporaryDirectory() as folder:
        tiny.llama().to(torch.bfloat16).save_pretrained(folder)
        models = [
            kind.from_pretrained(folder),
            kind.from_pretrained(folder, dtype=torch.float16),
            kind.from_pretrained(folder, dtype=torch.float32).cuda(),
            kind.from_pretrained(folder, dtype=torch.float16, device_map="auto"),
            kind.from_pretrained(folder, dtype="auto", device_map="cuda"),
        ]
        tokens = models[-1].generate(torch.tensor([[0, 5, 6]], device="cuda"), max_new_tokens=2)
        return [*(model.lm_head.weight for model in models), tokens]


def accelerated(precision: str) -> Any:
    accelerator = accelerate.Accelerator(mixed_precision=precision, gradient_accumulation_steps=2)
    model = tiny.llama()
    model.gradient_checkpointing_enable()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = torch.utils.data.DataLoader([torch.randint(0, 40, (6,)) for _ in range(8)], batch_size=2)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda _: 1.0)
    model, optimizer, data, schedule = accelerator.prepare(model, optimizer, data, schedule)
    for ids in data:
        with accelerator.accumulate(model):
            out = model(input_ids=ids, labels=ids)
            accelerator.backward(out.loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
    return [accelerator.gather(out.loss), out.logits, accelerator.unwrap_model(model).lm_head.weight]


def scaled() -> Any:
    unet = tiny.unet().cuda()
    unet.enable_gradient_checkpointing()
    unet.train()
    optimizer = torch.optim.AdamW(unet.parameters())
    scaler = torch.amp.GradScaler("cuda")
    with torch.autocast("cuda", torch.float16):
        context = torch.randn(1, 5, tiny.CONTEXT, device="cuda")
        predicted = unet(torch.randn(1, 4, 8, 8, device="cuda"), 3, context).sample
        loss = F.mse_loss(predicted.float(), torch.zeros(1, 4, 8, 8, device="cuda"))
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(unet.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    return [predicted, loss, unet.conv_in.weight.grad]


def compiled() -> Any:
    model = torch.compile(tiny.llama().cuda().bfloat16())
    ids = torch.tensor([[0, 5, 6]], device="cuda")
    out = model(ids, labels=ids)
    out.loss.backward()
    return [out.logits, out.loss, model.lm_head.weight.grad]


def merged_lora() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        config = peft.LoraConfig(r=2, target_modules=["q_proj"])
        adapted = peft.get_peft_model(tiny.llama().half(), config)
        adapted.save_pretrained(folder)
        model = peft.PeftModel.from_pretrained(tiny.llama().half(), folder).cuda()
        adapter = next(p for name, p in model.named_parameters() if "lora_A" in name)
        return [adapter, model.merge_and_unload()(torch.tensor([[0, 5, 6]], device="cuda")).logits]


def averaged() -> Any:
    unet = tiny.unet().cuda()
    ema = EMAModel(unet.parameters(), model_cls=type(unet), model_config=unet.config)
    ema.to("cuda")
    ema.step(unet.parameters())
    ema.store(unet.parameters())
    ema.copy_to(unet.parameters())
    ema.restore(unet.parameters())
    return [ema.shadow_params[0]]


def trained() -> Any:
    rows = [{"input_ids": [0, 5, 6, 7], "labels": [0, 5, 6, 7]} for _ in range(8)]
    with tempfile.TemporaryDirectory() as folder:
        arguments = transformers.TrainingArguments(
            output_dir=folder,
            bf16=True,
            max_steps=2,
            per_device_train_batch_size=2,
            report_to=[],
            gradient_checkpointing=True,
            save_steps=1,
            logging_steps=1,
            disable_tqdm=True,
        )
        trainer = transformers.Trainer(
            model=tiny.llama(),
            args=arguments,
            train_dataset=rows,
            data_collator=lambda batch: {name: torch.tensor([row[name] for row in batch]) for name in batch[0]},
        )
        trainer.train()
        return [trainer.model.lm_head.weight]


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A program, and the dtype and device of each tensor that it returns ("float16 cuda:0"), or what it is else."""

    name: str
    run: Callable[[], Any]
    gives: tuple[str, ...]


_OFFLOADED = partial(sample, sd, torch.float16)
WHOLES = (
    Whole(name="sd_fp16", run=partial(sample, sd, torch.float16), gives=("float16 cuda:0",)),
    Whole(name="sd_pil", run=partial(sample, sd, torch.bfloat16, output_type="pil"), gives=("Image",)),
    # The VAE of SDXL says `force_upcast`: in half the pipeline decodes in float32.
    Whole(name="sdxl_fp16", run=partial(sample, sdxl, torch.float16), gives=("float32 cuda:0",)),
    Whole(name="sdxl_bf16", run=partial(sample, sdxl, torch.bfloat16), gives=("bfloat16 cuda:0",)),
    Whole(name="sd_offload", run=partial(_OFFLOADED, "enable_model_cpu_offload"), gives=("float16 cuda:0",)),
    Whole(name="sd_sequential", run=partial(_OFFLOADED, "enable_sequential_cpu_offload"), gives=("float16 cuda:0",)),
    Whole(name="unet_reloaded", run=reloaded_unet, gives=("float32 cpu", "float16 cpu", "bfloat16 cuda:0")),
    Whole(
        name="llama_reloaded",
        run=reloaded_llama,
        gives=("bfloat16 cpu", "float16 cpu", "float32 cuda:0", "float16 cuda:0", "bfloat16 cuda:0", "int64 cuda:0"),
    ),
    *(
        Whole(name=f"accelerate_{precision}", run=partial(accelerated, precision), gives=("float32 cuda:0",) * 3)
        for precision in ("no", "fp16", "bf16")
    ),
    Whole(name="scaled", run=scaled, gives=("float16 cuda:0", "float32 cuda:0", "float32 cuda:0")),
    Whole(name="compiled", run=compiled, gives=("bfloat16 cuda:0", "float32 cuda:0", "bfloat16 cuda:0")),
    Whole(name="merged_lora", run=merged_lora, gives=("float32 cuda:0", "float16 cuda:0")),
    Whole(name="ema", run=averaged, gives=("float32 cuda:0",)),
    Whole(name="trainer", run=trained, gives=("float32 cuda:0",)),
)
