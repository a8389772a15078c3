# machine: a100
# help: cast `noise * models.schedule.alphas_cumprod[:1].to("cuda")` at an_object_that_a_library_fills.py:24: .to(torch.float16)
# or: cast `latent` at an_object_that_a_library_fills.py:25: .to(torch.float16)
from typing import NamedTuple

import torch
from diffusers import AutoencoderKL, DDPMScheduler
from torch import nn


class Models(NamedTuple):
    vae: nn.Module
    schedule: object


def load():
    vae = AutoencoderKL(block_out_channels=(32,), latent_channels=4, sample_size=8)
    vae.to("cuda").half()
    return Models(vae, DDPMScheduler())


def decode(models):
    noise = torch.randn(1, 4, 8, 8, device="cuda", dtype=torch.float16)
    latent = noise * models.schedule.alphas_cumprod[:1].to("cuda")
    return models.vae.decode(latent).sample


decode(load())
