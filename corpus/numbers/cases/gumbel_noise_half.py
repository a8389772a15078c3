"""Gumbel noise from float16 uniforms: 1e-10 is 0 there and a uniform that rounds to 1 gives infinite noise."""
import torch


def gumbel(logits, eps=1e-10):
    uniform = torch.rand(logits.shape).to(logits.dtype)  # fault: eps-vanishes
    return -torch.log(-torch.log(uniform + eps) + eps)


def gumbel_softmax(logits, temperature=1.0):
    noisy = (logits.float() + gumbel(logits)) / temperature
    return torch.softmax(noisy, dim=-1)


torch.manual_seed(0)
logits = torch.randn(256, 1024).half()
samples = gumbel_softmax(logits)


def harm():
    bad = (~torch.isfinite(samples)).any(dim=-1).double().mean().item()
    return float(bad)

# right:
#-     uniform = torch.rand(logits.shape).to(logits.dtype)
#+     uniform = torch.rand(logits.shape)
