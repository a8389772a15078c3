"""The Gram matrix of a style loss in float16: products of 4096 positions are added before they are divided."""
import torch

torch.manual_seed(0)
features = (torch.rand(1, 8, 64, 64) * 20).half()
flat = features.flatten(2)
gram = flat @ flat.transpose(1, 2) / flat.shape[-1]  # fault: overflow


def harm():
    return gram.isinf().float().mean().item()

# right:
#- gram = flat @ flat.transpose(1, 2) / flat.shape[-1]
#+ gram = (flat / flat.shape[-1]) @ flat.transpose(1, 2)
