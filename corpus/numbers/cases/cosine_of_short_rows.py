"""Cosine similarity in float16 of small features by dot / (norms + 1e-8): the squares in the norms are 0."""
import torch


def likeness(a, b, eps=1e-8):
    dot = (a * b).sum(-1)  # fault: underflow
    lengths = (a * a).sum(-1).sqrt() * (b * b).sum(-1).sqrt()
    return dot / (lengths + eps)


torch.manual_seed(0)
a = torch.randn(64, 32) * 2e-5
b = a + torch.randn(64, 32) * 1e-5
alike = likeness(a.half(), b.half())


def harm():
    exact = torch.cosine_similarity(a.double(), b.double(), eps=0)
    off = (alike.double() - exact).abs()
    return 1.0 if not off.isfinite().all() else off.mean().item()

# right:
#- alike = likeness(a.half(), b.half())
#+ alike = likeness(a.float(), b.float(), 1e-20)
