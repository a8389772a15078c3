# machine: a100
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        angles = torch.arange(x.shape[1], device=x.device).float()[:, None]
        q, k = q * angles.cos(), k * angles.sin()
        return self.out(nn.functional.scaled_dot_product_attention(q, k, v))


net = Attention(16).to("cuda").half()
net(torch.randn(2, 5, 16, device="cuda").half())
# fixed:
#-         return self.out(nn.functional.scaled_dot_product_attention(q, k, v))
#+         return self.out(nn.functional.scaled_dot_product_attention(q.to(v.dtype), k.to(v.dtype), v))
