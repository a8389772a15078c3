# machine: a100
# real: cpu
# A gradient penalty: double backward.
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
critic = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)).to(dev)
real, fake = torch.randn(6, 4, device=dev), torch.randn(6, 4, device=dev)
alpha = torch.rand(6, 1, device=dev)
mixed = (alpha * real + (1 - alpha) * fake).requires_grad_()
(grad,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
penalty = ((grad.norm(2, dim=1) - 1) ** 2).mean()
(critic(fake).mean() - critic(real).mean() + 10 * penalty).backward()
torch.autograd.functional.jacobian(lambda x: critic(x).squeeze(), real[:1])
