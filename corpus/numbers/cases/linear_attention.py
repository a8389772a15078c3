"""Linear attention's state, k v^T summed over 3000 positive keys, is kept in bfloat16: late tokens are not seen."""
import torch
import torch.nn.functional as F
from torch import nn


class LinearAttention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        q, k = F.elu(q) + 1, F.elu(k) + 1
        state = x.new_zeros(x.shape[-1], x.shape[-1])
        norm = x.new_zeros(x.shape[-1])
        out = []
        for t in range(x.shape[0]):
            state = state + torch.outer(k[t], v[t])
            norm = norm + k[t]  # fault: accumulate-in-half
            out.append((q[t] @ state) / (q[t] @ norm))
        return torch.stack(out)


torch.manual_seed(0)
dtype = torch.bfloat16
layer = LinearAttention(8).requires_grad_(False)
x = torch.randn(1500, 8) + 0.5
exact = layer.double()(x.double())
y = layer.to(dtype)(x.to(dtype))


def harm():
    return ((y.double() - exact)[-200:].norm() / exact[-200:].norm()).item()

# right:
#- dtype = torch.bfloat16
#+ dtype = torch.float32
