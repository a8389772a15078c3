"""Weights are packed to int8 with a float16 scale per row: a quiet row's scale is 0, its weights are lost."""
import torch


def pack(weight, dtype):
    top = weight.abs().amax(1, keepdim=True)
    scale = (top / 127).to(dtype)  # fault: underflow
    steps = (weight / scale.float().clamp(min=1e-30)).round().clamp(-127, 127)
    return steps.to(torch.int8), scale


def unpack(steps, scale):
    return steps.float() * scale.float()


torch.manual_seed(0)
weight = torch.randn(16, 64)
weight[3:7] *= 1e-6
steps, scale = pack(weight, torch.float16)


def harm():
    again = unpack(steps, scale)
    return ((again - weight).norm(dim=1) / weight.norm(dim=1)).max().item()

# right:
#- steps, scale = pack(weight, torch.float16)
#+ steps, scale = pack(weight, torch.float32)
