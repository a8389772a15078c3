"""Train Stable Diffusion 3.5 with weights, gradients and optimizer states in bfloat16.

    python recipes/bf16_trainer/train.py --config recipes/bf16_trainer/configs/sound      # trains on a CPU in seconds
    torchrun --nproc-per-node 2 recipes/bf16_trainer/train.py --config recipes/bf16_trainer/configs/report
    miscast lint recipes/bf16_trainer/configs/report
    miscast check --ranks 2 --machine 2xh100 recipes/bf16_trainer/train.py --config recipes/bf16_trainer/configs/report

Most mistakes of SimpleTuner's issue 854 and its kind stand in the settings (see configs/ and settings.py); those that
stand in code come back with --fault NAME.
"""

import os
import sys
from contextlib import nullcontext

import torch
import torch.distributed as dist
import torch.nn.functional as F
from data import CachedDataset, StepSampler, write_images
from diffusers.training_utils import EMAModel
from models import FlashAttention, load_models
from optimizers import AdamWBF16
from safetensors.torch import load_file
from sample import averaged, sample, save_image
from settings import read_settings
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

DTYPES = {"no": torch.float32, "fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
OPTIMIZERS = {
    "adamw_bf16": AdamWBF16,
    "adamw": torch.optim.AdamW,
    "adafactor": torch.optim.Adafactor,
    "sgd": torch.optim.SGD,
}


def diffusion_loss(models, transformer, batch):
    """The loss of random points on the way from latents to noise."""
    batch = {name: tensor.to(models.device) for name, tensor in batch.items()}
    latent = batch["latent"]
    noise = torch.randn_like(latent)
    sigma = torch.sigmoid(torch.randn(len(latent), device=models.device))
    weight = sigma.to(latent.dtype).view(-1, 1, 1, 1)
    prediction = transformer(
        (1 - weight) * latent + weight * noise,
        timestep=sigma * 1000,
        encoder_hidden_states=batch["hidden_state"],
        pooled_projections=batch["pooled"],
    ).sample
    return F.mse_loss(prediction.float(), (noise - latent).float())


@torch.no_grad()
def validate(models, dataset, settings):
    """The mean loss of the first images, with the same noise each time."""
    torch.manual_seed(0)
    batch = next(iter(DataLoader(dataset, batch_size=4)))
    with cast_region(models, settings):
        losses = [diffusion_loss(models, models.transformer, batch) for _ in range(4)]
    return torch.stack(losses).mean().item()


def cast_region(models, settings):
    """Autocast to the weights' half dtype, to bfloat16 over float32 weights; or nothing."""
    dtype = torch.bfloat16 if models.dtype == torch.float32 else models.dtype
    return torch.autocast(models.device.type, dtype=dtype) if settings.autocast else nullcontext()


def load_optimizer(settings, transformer):
    cls = OPTIMIZERS[settings.optimizer]
    if settings.policy:
        import miscast

        return miscast.Policy.parse(settings.policy).optimizer(transformer, cls, lr=settings.learning_rate)
    return cls(transformer.parameters(), lr=settings.learning_rate)


def load_average(settings, transformer, faults):
    if not settings.use_ema:
        return None
    average = EMAModel(transformer.parameters(), decay=settings.ema_decay, min_decay=settings.ema_decay)
    if "half-average" not in faults:
        average.to(dtype=torch.float32)
    return average


def save_checkpoint(folder, step, models, optimizer, scaler, average):
    models.transformer.save_pretrained(f"{folder}/transformer")
    state = {"step": step, "optimizer": optimizer.state_dict(), "scaler": scaler.state_dict()}
    if average is not None:
        state["average"] = average.state_dict()
    torch.save(state, f"{folder}/trainer.pt")


def load_checkpoint(folder, models, optimizer, scaler, average):
    """Continue where a checkpoint was saved; returns the number of steps done."""
    models.transformer.load_state_dict(load_file(f"{folder}/transformer/diffusion_pytorch_model.safetensors"))
    state = torch.load(f"{folder}/trainer.pt", weights_only=True)
    optimizer.load_state_dict(state["optimizer"])
    scaler.load_state_dict(state["scaler"])
    if average is not None:
        average.load_state_dict(state["average"])
    return state["step"]


def accumulate(models, transformer, batches, scaler, settings):
    """Backward through the batches of one step; several processes exchange their gradients in the last one."""
    total = 0
    for n, batch in enumerate(batches, 1):
        waits = n < len(batches) and isinstance(transformer, DistributedDataParallel)
        with transformer.no_sync() if waits else nullcontext():
            with cast_region(models, settings):
                loss = diffusion_loss(models, transformer, batch) / len(batches)
            scaler.scale(loss).backward()
        if settings.gradient_precision == "fp32":
            for param in transformer.parameters():
                if param.grad is not None:
                    param.grad.data = param.grad.data.to(torch.float32)
        total += loss.detach()
    return total


def train(models, settings, rank, world):
    faults = frozenset(settings.fault)
    folder = settings.output_dir
    if rank == 0:
        write_images(f"{folder}/data", settings.images, models.resolution)
    if world > 1:
        dist.barrier()
    dataset = CachedDataset(models, f"{folder}/data", faults)
    transformer = DistributedDataParallel(models.transformer) if world > 1 else models.transformer
    optimizer = load_optimizer(settings, transformer)
    average = load_average(settings, models.transformer, faults)
    # float16 gradients below 6e-8 are zero: the loss is scaled up before backward, the gradients down again.
    scaler = torch.amp.GradScaler(models.device.type, enabled=models.dtype == torch.float16, init_scale=2.0**12)

    start = 0
    if settings.resume_from_checkpoint:
        start = load_checkpoint(settings.resume_from_checkpoint, models, optimizer, scaler, average)
    if rank == 0:
        print(f"step {start}: validation {validate(models, dataset, settings):.4f}")
    parts = settings.gradient_accumulation_steps
    first, last = start * parts, settings.max_train_steps * parts
    sampler = StepSampler(len(dataset), settings.train_batch_size, first, last, rank, world)
    batches = []
    for n, batch in enumerate(DataLoader(dataset, batch_sampler=sampler), start=first + 1):
        batches.append(batch)
        if n % parts:
            continue
        step = n // parts
        torch.manual_seed(step * world + rank)  # a step draws the same, wherever the run began
        loss = accumulate(models, transformer, batches, scaler, settings)
        batches = []
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(transformer.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        if average is not None:
            average.step(models.transformer.parameters())
        if rank == 0:
            print(f"step {step}: loss {loss.item():.4f}")
            if step % settings.validation_steps == 0:
                preview(models, dataset, average, step, settings)
    if rank == 0:
        save_checkpoint(folder, settings.max_train_steps, models, optimizer, scaler, average)


def preview(models, dataset, average, step, settings):
    """The validation loss of the model, and an image of its average."""
    print(f"step {step}: validation {validate(models, dataset, settings):.4f}")
    with averaged(models.transformer, average), cast_region(models, settings):
        image = sample(models, "a red disc", settings.sampling_steps, settings.fault)
    save_image(image, f"{settings.output_dir}/sample-{step}.png")


def main():
    settings = read_settings(sys.argv[1:])
    rank, world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
    if not torch.cuda.is_available():
        device = torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    else:
        torch.cuda.set_device(device)
    if world > 1:
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")

    torch.manual_seed(0)
    vae_dtype = DTYPES["bf16" if settings.vae_dtype == "default" else settings.vae_dtype]
    models = load_models(settings.size, device, DTYPES[settings.mixed_precision], vae_dtype, settings.fault)
    if settings.attention_mechanism == "native-flash":
        models.transformer.set_attn_processor(FlashAttention())
    if settings.gradient_checkpointing:
        models.transformer.enable_gradient_checkpointing()
    if settings.policy:
        import miscast

        components = {"transformer": models.transformer, "vae": models.vae, "t5": models.t5}
        components |= {"clip_1": models.clips[0], "clip_2": models.clips[1]}
        miscast.apply(components, miscast.Policy.parse(settings.policy))
    train(models, settings, rank, world)
    if world > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
