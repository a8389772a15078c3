"""LoRA factors inherit bfloat16 from the base weight; A begins at 0.02 and AdamW at 1e-6 leaves most of it."""
import torch
from torch import nn


class Lora(nn.Module):
    def __init__(self, base, rank, dtype=None):
        super().__init__()
        self.base = base.requires_grad_(False)
        like = dict(dtype=dtype or base.weight.dtype)
        self.a = nn.Parameter(torch.randn(rank, base.in_features, **like) * 0.02)  # fault: half-parameters-without-master
        self.b = nn.Parameter(torch.randn(base.out_features, rank, **like) * 0.02)

    def forward(self, x):
        return self.base(x) + (x.to(self.a.dtype) @ self.a.T @ self.b.T).to(x.dtype)


torch.manual_seed(0)
dtype = None
net = Lora(nn.Linear(32, 32).bfloat16(), 4, dtype)
before = net.a.detach().clone()
optimizer = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], lr=1e-6, weight_decay=0.0)
for _ in range(15):
    x = torch.randn(8, 32).bfloat16()
    (net(x).float() - 1).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()


def harm():
    return (net.a.detach() == before).float().mean().item()

# right:
#- dtype = None
#+ dtype = torch.float32
