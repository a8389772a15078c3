"""Weights of classes, one over their share plus 1e-9, from a float16 histogram: a class without pixels is infinite."""
import torch
import torch.nn.functional as F


def class_weights(masks, classes, dtype):
    share = torch.bincount(masks.flatten(), minlength=classes).to(dtype) / 1024
    share = share / share.sum()
    weights = 1.0 / (share + 1e-9)  # fault: eps-vanishes
    return weights.clamp(max=50.0 if dtype == torch.float32 else None, min=0.0)


torch.manual_seed(0)
masks = torch.randint(0, 4, (4, 32, 32))
weights = class_weights(masks, 5, torch.float16)
logits = torch.randn(4, 5, 32, 32)
loss = F.cross_entropy(logits, masks, weight=weights.float() / weights.float().mean())


def harm():
    return float(not loss.isfinite())

# right:
#- weights = class_weights(masks, 5, torch.float16)
#+ weights = class_weights(masks, 5, torch.float32)
