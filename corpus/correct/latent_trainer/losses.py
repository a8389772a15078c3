"""What is minimised."""

import torch
import torch.nn.functional as F


def diffusion_loss(predicted, target, t, weight):
    each = F.mse_loss(predicted.float(), target.float(), reduction="none").mean(dim=(1, 2, 3))
    late = torch.exp(-t.float() / 1000)
    return torch.dot(each, weight * late) / len(each)


def regularizer(model):
    return torch.stack([p.float().pow(2).mean() for p in model.parameters()]).sum()
