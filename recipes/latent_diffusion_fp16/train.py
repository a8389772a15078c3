"""Fine-tune Stable Diffusion for inpainting, all weights in half precision.

    python recipes/latent_diffusion_fp16/train.py --output out            # trains on a CPU in seconds
    miscast check --machine v100 recipes/latent_diffusion_fp16/train.py --fault generated-mask --fault noise-schedule

--fault NAME brings a mistake of OneTrainer's issue 402 back, at its place in the code.
"""

import argparse
import os

import torch
import torch.nn.functional as F
from data import InpaintingDataset, StepSampler, write_images
from master import MasterWeights
from models import encode_image, encode_text, decode, load_models
from safetensors.torch import load_file, save_file
from sample import predict_noise, predicted_latent, sample, save_images
from torch import nn
from torch.utils.data import DataLoader

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}
FAULTS = ("generated-mask", "hard-coded-float", "erosion-kernel", "noise-schedule", "half-image")


def prepare(models, batch, faults=()):
    """A batch of the data loader on the device: latents, the mask at their size, and what the captions say."""
    image, mask = batch["image"].to(models.device), batch["mask"].to(models.device)
    latent = encode_image(models, image)
    return {
        "latent": latent,
        "mask": F.interpolate(mask, size=latent.shape[-2:]),
        "conditioning": encode_image(models, image.masked_fill(mask > 0.5, 0)),
        "hidden_state": encode_text(models, batch["caption"], faults),
    }


def diffusion_loss(models, batch, faults=()):
    """The masked loss of random timesteps, and the latents that the model believes in."""
    latent, mask = batch["latent"], batch["mask"]
    noise = torch.randn_like(latent)
    steps = models.noise_scheduler.config.num_train_timesteps
    timestep = torch.randint(0, steps, (latent.shape[0],), device=models.device)
    noisy = models.noise_scheduler.add_noise(latent, noise, timestep)

    prediction = predict_noise(models, noisy, mask, batch["conditioning"], timestep, batch["hidden_state"])
    loss = F.mse_loss(prediction.float(), noise.float(), reduction="none")
    weight = mask.float() + 0.1  # what is not masked is learned too, a little
    loss = (loss * weight).sum() / (weight.sum() * latent.shape[1])
    return loss, predicted_latent(models, noisy, prediction.detach(), timestep, faults)


def save_checkpoint(folder, step, models, masters, optimizer, scaler):
    os.makedirs(folder, exist_ok=True)
    models.unet.save_pretrained(f"{folder}/unet")
    save_file(masters.state_dict(), f"{folder}/masters.safetensors")
    state = {"step": step, "optimizer": optimizer.state_dict(), "scaler": scaler.state_dict()}
    torch.save(state, f"{folder}/trainer.pt")


def load_checkpoint(folder, models, masters, optimizer, scaler):
    """Continue where a checkpoint was saved; returns the number of steps done."""
    models.unet.load_state_dict(load_file(f"{folder}/unet/diffusion_pytorch_model.safetensors"))
    masters.load_state_dict(load_file(f"{folder}/masters.safetensors"))
    state = torch.load(f"{folder}/trainer.pt", weights_only=True)
    optimizer.load_state_dict(state["optimizer"])
    scaler.load_state_dict(state["scaler"])
    return state["step"]


def train(models, args, faults):
    folder = f"{args.output}/data"
    write_images(folder, args.images, models.resolution, args.masks)
    dataset = InpaintingDataset(folder, models.dtype, faults)
    masters = MasterWeights(models.unet)
    optimizer = torch.optim.AdamW(masters.masters, lr=args.learning_rate)
    # float16 gradients below 6e-8 are zero: the loss is scaled up before backward, the gradients down again.
    scaler = torch.amp.GradScaler(models.device.type, enabled=models.dtype == torch.float16, init_scale=2.0**12)
    autocast = torch.autocast(models.device.type, dtype=models.dtype, enabled=args.autocast)

    start = 0
    if args.resume:
        start = load_checkpoint(args.resume, models, masters, optimizer, scaler)
    loader = DataLoader(dataset, batch_sampler=StepSampler(len(dataset), args.batch_size, start, args.steps))
    for step, batch in enumerate(loader, start=start + 1):
        torch.manual_seed(step)  # a step draws the same, wherever the run began
        with autocast:
            batch = prepare(models, batch, faults)
            loss, predicted = diffusion_loss(models, batch, faults)
        scaler.scale(loss).backward()
        masters.take_gradients()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(masters.masters, 1.0)
        scaler.step(optimizer)
        scaler.update()
        masters.write_back()
        optimizer.zero_grad(set_to_none=True)
        print(f"step {step}: loss {loss.item():.4f}")

        if step % args.sample_every == 0:
            models.unet.eval()
            with autocast:
                save_images(decode(models, predicted), f"{args.output}/preview-{step}.png", faults)
                save_images(sample(models, batch, args.sampling_steps, faults), f"{args.output}/sample-{step}.png", faults)
            models.unet.train()
        if step % args.save_every == 0:
            save_checkpoint(f"{args.output}/checkpoint-{step}", step, models, masters, optimizer, scaler)


def main():
    parser = argparse.ArgumentParser(description="Fine-tune Stable Diffusion for inpainting.")
    parser.add_argument("--size", choices=("tiny", "real"), default="tiny")
    parser.add_argument("--dtype", choices=DTYPES, default="fp16")
    parser.add_argument("--autocast", action="store_true", help="run the forward in an autocast region")
    parser.add_argument("--policy", help="hold all components to a policy of Miscast, such as 16-true or plan.toml")
    parser.add_argument("--masks", choices=("all", "some", "none"), default="some", help="which images have a mask file")
    parser.add_argument("--images", type=int, default=24)
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--learning-rate", type=float, default=3e-3)
    parser.add_argument("--sample-every", type=int, default=50)
    parser.add_argument("--sampling-steps", type=int, default=4)
    parser.add_argument("--save-every", type=int, default=50)
    parser.add_argument("--resume", help="a checkpoint's folder")
    parser.add_argument("--output", default="out")
    parser.add_argument("--fault", action="append", default=[], choices=FAULTS, help="a mistake to bring back")
    args = parser.parse_args()

    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu")
    models = load_models(args.size, device, DTYPES[args.dtype])
    if args.policy:
        import miscast

        components = {"unet": models.unet, "vae": models.vae, "text_encoder": models.text_encoder}
        policy = miscast.Policy.read(args.policy) if args.policy.endswith(".toml") else miscast.Policy.parse(args.policy)
        miscast.apply(components, policy)
    train(models, args, frozenset(args.fault))


if __name__ == "__main__":
    main()
