"""KL of two categorical policies from bfloat16 probabilities, p * (log p - log q): the policies are near each other."""
import torch


def divergence(p, q):
    return (p * (p.log() - q.log())).sum(-1)  # fault: cancellation


torch.manual_seed(0)
logits = torch.randn(256, 12)
moved = logits + 0.01 * torch.randn(256, 12)
p, q = (one.softmax(-1).bfloat16() for one in (logits, moved))
kl = divergence(p, q).mean()


def harm():
    a, b = logits.double().log_softmax(-1), moved.double().log_softmax(-1)
    exact = (a.exp() * (a - b)).sum(-1).mean()
    return abs(kl.item() / exact.item() - 1)

# right:
#- p, q = (one.softmax(-1).bfloat16() for one in (logits, moved))
#+ p, q = (one.double().softmax(-1) for one in (logits, moved))
