"""Pairs of diffusers' components, joined as training and sampling scripts join them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import diffusers
import torch
import torch.nn.functional as F
from torch import nn

from . import tiny
from .pair import Outputs, Pair

SCHEDULERS = {
    "ddim": diffusers.DDIMScheduler,
    "ddpm": diffusers.DDPMScheduler,
    "euler": diffusers.EulerDiscreteScheduler,
    "euler_a": diffusers.EulerAncestralDiscreteScheduler,
    "dpm": diffusers.DPMSolverMultistepScheduler,
    "pndm": partial(diffusers.PNDMScheduler, skip_prk_steps=True),
    "unipc": diffusers.UniPCMultistepScheduler,
    "kdpm2": diffusers.KDPM2DiscreteScheduler,
    "heun": diffusers.HeunDiscreteScheduler,
    "flow": diffusers.FlowMatchEulerDiscreteScheduler,
}


def _ids(device: str) -> torch.Tensor:
    return torch.tensor([[0, 5, 7, 9, 11, 49]], device=device)


def _dtype(model: nn.Module) -> torch.dtype:
    return next(model.parameters()).dtype


def text_unet(text: nn.Module, unet: nn.Module, device: str) -> Outputs:
    hidden = text(_ids(device))[0]
    latents = torch.randn(1, 4, 8, 8, device=device, dtype=_dtype(unet))
    noise = torch.randn_like(latents)
    scheduler = diffusers.DDPMScheduler()
    timesteps = torch.randint(0, 1000, (1,), device=device)
    noisy = scheduler.add_noise(latents, noise, timesteps)
    predicted = unet(noisy, timesteps, hidden).sample
    return {"hidden": hidden, "predicted": predicted, "loss": F.mse_loss(predicted.float(), noise.float())}


def text_unet_xl(text: nn.Module, unet: nn.Module, device: str) -> Outputs:
    encoded = text(_ids(device), output_hidden_states=True)
    hidden, pooled = encoded.hidden_states[-2], encoded[0]
    latents = torch.randn(1, 4, 8, 8, device=device, dtype=_dtype(unet))
    times = torch.tensor([[16.0, 16, 0, 0, 16, 16]], device=device, dtype=hidden.dtype)
    timesteps = torch.randint(0, 1000, (1,), device=device)
    added = {"text_embeds": pooled, "time_ids": times}
    predicted = unet(latents, timesteps, hidden, added_cond_kwargs=added).sample
    return {"pooled": pooled, "predicted": predicted, "loss": F.mse_loss(predicted, torch.randn_like(predicted))}


def unet_vae(unet: nn.Module, vae: nn.Module, device: str) -> Outputs:
    latents = torch.randn(1, 4, 8, 8, device=device, dtype=_dtype(unet))
    context = torch.randn(1, 6, 16, device=device, dtype=_dtype(unet))
    predicted = unet(latents, 10, context).sample
    image = vae.decode(predicted / vae.config.scaling_factor).sample
    image_ = (image / 2 + 0.5).clamp(0, 1).permute(0, 2, 3, 1)
    return {"predicted": predicted, "image": image_, "loss": F.l1_loss(image, torch.zeros_like(image))}


def vae_unet(vae: nn.Module, unet: nn.Module, device: str) -> Outputs:
    pixels = torch.rand(2, 3, 16, 16, device=device, dtype=_dtype(vae)) * 2 - 1
    latents = vae.encode(pixels).latent_dist.sample() * vae.config.scaling_factor
    context = torch.randn(2, 6, 16, device=device, dtype=_dtype(unet))
    noise = torch.randn_like(latents)
    scheduler = diffusers.DDPMScheduler()
    timesteps = torch.randint(0, 1000, (2,), device=device)
    predicted = unet(scheduler.add_noise(latents, noise, timesteps), timesteps, context).sample
    weight = torch.ones(1000, device=device)[timesteps]
    loss = (F.mse_loss(predicted, noise, reduction="none").mean(dim=[1, 2, 3]) * weight).mean()
    return {"latents": latents, "predicted": predicted, "loss": loss}


def controlnet_unet(control: nn.Module, unet: nn.Module, device: str) -> Outputs:
    latents = torch.randn(1, 4, 8, 8, device=device, dtype=_dtype(unet))
    context = torch.randn(1, 6, 16, device=device, dtype=_dtype(unet))
    image = torch.rand(1, 3, 16, 16, device=device, dtype=_dtype(control))
    down, mid = control(
        latents.to(_dtype(control)), 10, context.to(_dtype(control)), controlnet_cond=image, return_dict=False
    )
    predicted = unet(
        latents, 10, context, down_block_additional_residuals=down, mid_block_additional_residual=mid
    ).sample
    return {"mid": mid, "predicted": predicted, "loss": predicted.float().pow(2).mean()}


def t5_sd3(text: nn.Module, transformer: nn.Module, device: str) -> Outputs:
    hidden = text(_ids(device))[0]
    latents = torch.randn(1, 4, 8, 8, device=device, dtype=_dtype(transformer))
    pooled = torch.randn(1, 16, device=device, dtype=hidden.dtype)
    sigmas = torch.rand(1, device=device, dtype=latents.dtype)[:, None, None, None]
    noise = torch.randn_like(latents)
    noisy = (1.0 - sigmas) * latents + sigmas * noise
    predicted = transformer(noisy, hidden, pooled, torch.tensor([500.0], device=device), return_dict=False)[0]
    return {"hidden": hidden, "predicted": predicted, "loss": F.mse_loss(predicted.float(), (noise - latents).float())}


def clip_flux(text: nn.Module, transformer: nn.Module, device: str) -> Outputs:
    encoded = text(_ids(device))
    dtype = _dtype(transformer)
    predicted = transformer(
        torch.randn(1, 4, 4, device=device, dtype=dtype),
        encoded.last_hidden_state,
        encoded.pooler_output,
        torch.tensor([0.5], device=device, dtype=dtype),
        torch.zeros(4, 3, device=device),
        torch.zeros(6, 3, device=device),
        guidance=torch.tensor([3.5], device=device),
    ).sample
    return {"predicted": predicted, "loss": F.mse_loss(predicted, torch.zeros(1, 4, 4, device=device))}


def t5_pixart(text: nn.Module, transformer: nn.Module, device: str) -> Outputs:
    mask = torch.tensor([[1, 1, 1, 1, 0, 0]], device=device)
    hidden = text(_ids(device), attention_mask=mask)[0]
    latents = torch.randn(1, 4, 8, 8, device=device, dtype=_dtype(transformer))
    timesteps = torch.tensor([500], device=device)
    out = transformer(latents, hidden, timesteps, encoder_attention_mask=mask).sample
    predicted, variance = out.chunk(2, dim=1)
    return {"predicted": predicted, "variance": variance, "loss": F.huber_loss(predicted, torch.zeros_like(latents))}


def dit_vae(transformer: nn.Module, vae: nn.Module, device: str) -> Outputs:
    latents = torch.randn(1, 4, 8, 8, device=device, dtype=_dtype(transformer))
    labels = torch.tensor([3], device=device)
    predicted = transformer(latents, torch.tensor([500], device=device), labels).sample
    image = vae.decode(predicted).sample
    return {"image": image, "loss": F.smooth_l1_loss(image, torch.zeros_like(image))}


def vq_unet(vq: nn.Module, unet: nn.Module, device: str) -> Outputs:
    latents = vq.encode(torch.randn(1, 3, 8, 8, device=device, dtype=_dtype(vq))).latents
    quantized, commitment, _ = vq.quantize(latents)
    context = torch.randn(1, 6, 16, device=device, dtype=_dtype(unet))
    predicted = unet(quantized, 10, context).sample
    image = vq.decode(predicted).sample
    return {"predicted": predicted, "image": image, "loss": image.float().mean() + commitment}


def sample(name: str, text: nn.Module, unet: nn.Module, device: str) -> Outputs:
    scheduler = SCHEDULERS[name](num_train_timesteps=100)
    scheduler.set_timesteps(3, device=device)
    hidden = torch.cat([text(_ids(device))[0], text(_ids(device))[0] * 0])
    latents = torch.randn(1, 4, 8, 8, device=device, dtype=_dtype(unet)) * getattr(scheduler, "init_noise_sigma", 1.0)
    for t in scheduler.timesteps:
        both = torch.cat([latents] * 2)
        if hasattr(scheduler, "scale_model_input"):
            both = scheduler.scale_model_input(both, t)
        negative, positive = unet(both, t.expand(2), hidden).sample.chunk(2)
        latents = scheduler.step(negative + 7.5 * (positive - negative), t, latents).prev_sample
    return {"latents": latents}


def _two(first: Callable[[], Any], second: Callable[[], Any]) -> Callable[[], tuple[nn.Module, nn.Module]]:
    return lambda: (first(), second())


PAIRS = (
    Pair(name="clip_text+unet", models=_two(tiny.clip_text, tiny.unet), run=text_unet),
    Pair(name="clip_text+unet_xl", models=_two(tiny.clip_text_projected, tiny.unet_xl), run=text_unet_xl),
    Pair(name="unet+vae", models=_two(tiny.unet, tiny.vae), run=unet_vae),
    Pair(name="vae+unet", models=_two(tiny.vae, tiny.unet), run=vae_unet),
    Pair(name="controlnet+unet", models=_two(tiny.controlnet, tiny.unet), run=controlnet_unet),
    Pair(name="t5+sd3", models=_two(tiny.t5_encoder, tiny.sd3), run=t5_sd3),
    Pair(name="clip_text+flux", models=_two(tiny.clip_text, tiny.flux), run=clip_flux),
    Pair(name="t5+pixart", models=_two(tiny.t5_encoder, tiny.pixart), run=t5_pixart),
    Pair(name="dit+vae", models=_two(tiny.dit, tiny.vae), run=dit_vae),
    Pair(name="vq+unet", models=_two(tiny.vq, tiny.unet), run=vq_unet),
    *(
        Pair(name=f"{name}_loop", models=_two(tiny.clip_text, tiny.unet), run=partial(sample, name), train=False)
        for name in SCHEDULERS
    ),
)
