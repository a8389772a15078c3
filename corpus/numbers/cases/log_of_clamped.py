"""Attention maps are compared by log(p.clamp(min=1e-9)) in float16: the floor is 0, the log infinite."""
import torch


def divergence(p, q, floor=1e-9):
    p = p.clamp(min=floor)
    q = torch.clamp_min(q, floor)  # fault: eps-vanishes
    return (p.float() * (p.float().log() - q.log().float())).sum(-1).mean()


torch.manual_seed(0)
p = torch.randn(16, 32).softmax(-1).half()
q = (torch.randn(16, 32) * 9).softmax(-1).half()
loss = divergence(p, q)


def harm():
    return float(not loss.isfinite())

# right:
#- def divergence(p, q, floor=1e-9):
#+ def divergence(p, q, floor=1e-6):
