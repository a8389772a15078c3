"""A lattice's forward variables by hand: max of a column of -inf is subtracted from it, -inf - -inf."""
import torch


def lse(x, dim):
    top = x.max(dim, keepdim=True).values
    return (x - top).exp().sum(dim).log() + top.squeeze(dim)  # fault: nan-mask


torch.manual_seed(0)
step = torch.randn(5, 5).log_softmax(0)
step[3] = float("-inf")
alpha = torch.full((5,), float("-inf"))
alpha[0] = 0.0
for _ in range(4):
    alpha = lse(step + alpha[None], 1)


def harm():
    return alpha.isnan().float().mean().item()

# right:
#-     top = x.max(dim, keepdim=True).values
#+     top = x.max(dim, keepdim=True).values.clamp_min(-1e30)
