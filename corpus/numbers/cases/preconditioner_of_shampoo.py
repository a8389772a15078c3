"""Shampoo's preconditioner follows g g^T by addmm_ with beta 0.999 in bfloat16: it keeps its first value."""
import torch
from torch import nn


class Shampoo:
    def __init__(self, weight, dtype, beta=0.999):
        self.weight, self.beta = weight, beta
        self.left = torch.eye(weight.shape[0], dtype=dtype)

    @torch.no_grad()
    def step(self, lr=1e-3):
        g = self.weight.grad.to(self.left.dtype)
        self.left.addmm_(g, g.T, beta=self.beta, alpha=1 - self.beta)  # fault: state-in-half
        values, vectors = torch.linalg.eigh(self.left.float())
        root = vectors @ torch.diag(values.clamp_min(1e-6) ** -0.25) @ vectors.T
        self.weight.sub_(root @ self.weight.grad, alpha=lr)


torch.manual_seed(0)
net = nn.Linear(12, 6)
shampoo = Shampoo(net.weight, torch.bfloat16)
for _ in range(150):
    x = 0.3 * torch.randn(16, 12)
    net.weight.grad = None
    (net(x) - x[:, :6]).square().mean().backward()
    shampoo.step()


def harm():
    return abs(shampoo.left.double().diagonal().mean().item() / 0.999**150 - 1)

# right:
#- shampoo = Shampoo(net.weight, torch.bfloat16)
#+ shampoo = Shampoo(net.weight, torch.float32)
