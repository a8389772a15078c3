"""Entropy of a routing table multiplies p by log(p), and p is 0 for what top-k left out."""
import torch
from torch import nn

torch.manual_seed(0)
router = nn.Linear(8, 6)
logits = router(torch.randn(32, 8))
kept = logits.topk(2, -1)
scores = torch.full_like(logits, -torch.inf).scatter(-1, kept.indices, kept.values)
p = scores.softmax(-1)
entropy = -(p * p.log()).sum(-1).mean()  # fault: nan-mask
entropy.backward()


def harm():
    return router.weight.grad.isnan().float().mean().item()

# right:
#- entropy = -(p * p.log()).sum(-1).mean()
#+ entropy = -(p * p.clamp_min(1e-20).log()).sum(-1).mean()
