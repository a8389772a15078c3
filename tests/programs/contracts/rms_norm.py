# machine: a100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"


class LlamaRMSNorm(nn.Module):
    def __init__(self, size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, hidden):
        dtype = hidden.dtype
        hidden = hidden.to(torch.float32)
        variance = hidden.pow(2).mean(-1, keepdim=True)
        hidden = hidden * torch.rsqrt(variance + self.eps)
        return self.weight * hidden.to(dtype)


norm, out = LlamaRMSNorm(16).to(dev, torch.bfloat16), nn.Linear(16, 4).to(dev, torch.bfloat16)
print(out(norm(torch.randn(2, 16, device=dev, dtype=torch.bfloat16))).dtype)
print(nn.RMSNorm(16, device=dev)(torch.randn(2, 16, device=dev)).dtype)
