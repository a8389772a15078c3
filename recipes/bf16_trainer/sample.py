"""An image of a caption, by the model as it is or by its average."""

from contextlib import contextmanager

import torch
from diffusers import FlowMatchEulerDiscreteScheduler
from models import decode, encode_text
from PIL import Image


@contextmanager
def averaged(transformer, average):
    """The transformer with its averaged weights, where there is an average."""
    if average is None:
        yield
        return
    average.store(transformer.parameters())
    average.copy_to(transformer.parameters())
    yield
    average.restore(transformer.parameters())


@torch.no_grad()
def sample(models, caption, steps, faults=()):
    """One image between 0 and 1."""
    scheduler = FlowMatchEulerDiscreteScheduler(shift=3.0)
    scheduler.set_timesteps(steps, device=models.device)
    hidden_state, pooled = encode_text(models, [caption])
    config = models.transformer.config
    shape = (1, config.in_channels, config.sample_size, config.sample_size)
    latent = torch.randn(shape, device=models.device, dtype=models.dtype)
    for timestep in scheduler.timesteps:
        velocity = models.transformer(
            latent, timestep=timestep[None], encoder_hidden_states=hidden_state, pooled_projections=pooled
        ).sample
        latent = scheduler.step(velocity, timestep, latent).prev_sample
    return decode(models, latent, faults)


def save_image(image, file):
    pixels = (image[0].permute(1, 2, 0).float() * 255).round().to(torch.uint8)
    Image.fromarray(pixels.cpu().numpy()).save(file)
