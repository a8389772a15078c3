"""Teach SDXL new words, as vectors at the output of its two text encoders; all weights in half precision.

    python recipes/sdxl_output_embedding/train.py --output out             # trains on a CPU in seconds
    miscast check --machine v100 recipes/sdxl_output_embedding/train.py --fault token-embedding

--fault NAME brings a mistake of OneTrainer's issue 752 back, at its place in the code.
"""

import argparse

import torch
import torch.nn.functional as F
from data import ConceptDataset, StepSampler, write_images
from embedding import add_words, encode_text
from models import encode_image, load_models
from sample import DTYPES, WORDS, cast_region, predict_velocity, sample, save_image
from torch import nn
from torch.utils.data import DataLoader

FAULTS = ("token-embedding", "set-up-outside-cast")


def set_up(models, args, faults):
    """The new words, as vectors that are to be trained."""
    if "set-up-outside-cast" in faults:
        return add_words(models, WORDS, "disc", faults)
    with cast_region(models, args.autocast):
        return add_words(models, WORDS, "disc", faults)


def diffusion_loss(models, embedding, batch):
    """The loss at random timesteps, with which it varies more than by training: see `validate`."""
    latent = encode_image(models, batch["image"].to(models.device))
    hidden_state, pooled = encode_text(models, embedding, batch["caption"])
    noise = torch.randn_like(latent)
    steps = models.noise_scheduler.config.num_train_timesteps
    timestep = torch.randint(0, steps, (latent.shape[0],), device=models.device)
    noisy = models.noise_scheduler.add_noise(latent, noise, timestep)
    prediction = predict_velocity(models, noisy, timestep, hidden_state, pooled)
    target = models.noise_scheduler.get_velocity(latent, noise, timestep)
    return F.mse_loss(prediction.float(), target.float())


@torch.no_grad()
def validate(models, embedding, dataset):
    """The mean loss of the first images, with the same noise and timesteps each time."""
    torch.manual_seed(0)
    batch = next(iter(DataLoader(dataset, batch_size=4)))
    losses = [diffusion_loss(models, embedding, batch) for _ in range(4)]
    return torch.stack(losses).mean().item()


def save_checkpoint(folder, step, embedding, optimizer, scaler):
    embedding.save(f"{folder}/embedding.safetensors")
    state = {"step": step, "optimizer": optimizer.state_dict(), "scaler": scaler.state_dict()}
    torch.save(state, f"{folder}/trainer.pt")


def load_checkpoint(folder, embedding, optimizer, scaler):
    """Continue where a checkpoint was saved; returns the number of steps done."""
    embedding.load(f"{folder}/embedding.safetensors")
    state = torch.load(f"{folder}/trainer.pt", weights_only=True)
    optimizer.load_state_dict(state["optimizer"])
    scaler.load_state_dict(state["scaler"])
    return state["step"]


def train(models, embedding, args):
    write_images(f"{args.output}/data", args.images, models.resolution)
    dataset = ConceptDataset(f"{args.output}/data", "a " + " ".join(WORDS), models.dtype)
    optimizer = torch.optim.AdamW(embedding.parameters(), lr=args.learning_rate, weight_decay=0)
    # float16 gradients below 6e-8 are zero: the loss is scaled up before backward, the gradients down again.
    scaler = torch.amp.GradScaler(models.device.type, enabled=models.dtype == torch.float16, init_scale=2.0**12)

    start = load_checkpoint(args.resume, embedding, optimizer, scaler) if args.resume else 0
    loader = DataLoader(dataset, batch_sampler=StepSampler(len(dataset), args.batch_size, start, args.steps))
    with cast_region(models, args.autocast):
        print(f"step {start}: validation {validate(models, embedding, dataset):.4f}")
    for step, batch in enumerate(loader, start=start + 1):
        torch.manual_seed(step)  # a step draws the same, wherever the run began
        with cast_region(models, args.autocast):
            loss = diffusion_loss(models, embedding, batch)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(embedding.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        print(f"step {step}: loss {loss.item():.4f}")

        if step % args.sample_every == 0:
            with cast_region(models, args.autocast):
                print(f"step {step}: validation {validate(models, embedding, dataset):.4f}")
                image = sample(models, embedding, dataset.caption, args.sampling_steps)
            save_image(image, f"{args.output}/sample-{step}.png")
    save_checkpoint(args.output, args.steps, embedding, optimizer, scaler)


def main():
    parser = argparse.ArgumentParser(description="Train output embeddings of SDXL.")
    parser.add_argument("--size", choices=("tiny", "real"), default="tiny")
    parser.add_argument("--dtype", choices=DTYPES, default="fp16")
    parser.add_argument("--autocast", action="store_true", help="run the forward in an autocast region")
    parser.add_argument("--policy", help="hold all components to a policy of Miscast, such as 16-true or plan.toml")
    parser.add_argument("--images", type=int, default=8)
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--learning-rate", type=float, default=2.0, help="large, for a tiny UNet hardly listens")
    parser.add_argument("--sample-every", type=int, default=30)
    parser.add_argument("--sampling-steps", type=int, default=4)
    parser.add_argument("--resume", help="the output folder of an earlier run")
    parser.add_argument("--output", default="out")
    parser.add_argument("--fault", action="append", default=[], choices=FAULTS, help="a mistake to bring back")
    args = parser.parse_args()

    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu")
    models = load_models(args.size, device, DTYPES[args.dtype])
    if args.policy:
        import miscast

        components = {"unet": models.unet, "vae": models.vae}
        components |= {"text_encoder_1": models.text_encoder_1, "text_encoder_2": models.text_encoder_2}
        policy = miscast.Policy.read(args.policy) if args.policy.endswith(".toml") else miscast.Policy.parse(args.policy)
        miscast.apply(components, policy)
    embedding = set_up(models, args, frozenset(args.fault)).to(device)
    train(models, embedding, args)


if __name__ == "__main__":
    main()
