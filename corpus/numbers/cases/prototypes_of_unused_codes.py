"""Prototypes are sums over members divided by the maximum of a count and 1e-8, all in float16: an empty one is 0 / 0."""
import torch

torch.manual_seed(0)
features = torch.randn(500, 16).half()
assigned = torch.randint(0, 9, (500,))


def prototypes(features, assigned, many):
    sums = torch.zeros(many, features.shape[1], dtype=features.dtype).index_add_(0, assigned, features)
    sizes = torch.zeros(many, dtype=features.dtype).index_add_(0, assigned, torch.ones_like(features[:, 0]))
    floor = torch.full_like(sizes, 1e-8)  # fault: eps-vanishes
    return sums / torch.maximum(sizes, floor)[:, None]


codes = prototypes(features, assigned, 10)
similarity = features @ codes.T


def harm():
    return codes.isnan().float().mean().item()

# right:
#- codes = prototypes(features, assigned, 10)
#- similarity = features @ codes.T
#+ codes = prototypes(features.float(), assigned, 10)
#+ similarity = features.float() @ codes.T
