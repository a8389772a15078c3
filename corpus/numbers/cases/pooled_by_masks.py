"""Features pooled by a mask: its area of 90,000 float16 ones is infinite, and the pooled features are 0."""
import torch


def masked_pool(features, mask):
    mask = mask.to(features.dtype)
    area = mask.sum((-2, -1)).clamp(min=1)  # fault: overflow
    return torch.einsum("chw,hw->c", features, mask) / area


torch.manual_seed(0)
features = torch.rand(4, 300, 300)
mask = torch.ones(300, 300, dtype=torch.bool)
dtype = torch.float16
pooled = masked_pool(features.to(dtype) / 4, mask)


def harm():
    return abs(pooled.double().mean().item() / 0.125 - 1)

# right:
#- dtype = torch.float16
#+ dtype = torch.float32
