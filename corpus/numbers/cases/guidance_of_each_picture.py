"""Classifier-free guidance with a scale of its own for each picture: the float32 scales make the half latents float32."""
import torch
from torch import nn


def guided(net, latents, scale):
    known, unknown = net(torch.cat([latents, latents])).chunk(2)
    return unknown + scale.view(-1, 1, 1, 1) * (known - unknown)  # fault: widening


torch.manual_seed(0)
net = nn.Conv2d(4, 4, 3, padding=1).half()
latents = torch.randn(3, 4, 16, 16).half()
scale = torch.tensor([1.5, 4.0, 7.5])
with torch.no_grad():
    for t in range(5):
        latents = latents - 0.1 * guided(net, latents.half(), scale)


def harm():
    return latents.nbytes / (3 * 4 * 16 * 16 * 2) - 1

# right:
#- scale = torch.tensor([1.5, 4.0, 7.5])
#+ scale = torch.tensor([1.5, 4.0, 7.5]).half()
