"""Rotary attention whose frequencies travel with the module's dtype."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
LENGTH, HEADS, DIM = 2048, 2, 32


class Rotary(nn.Module):
    def __init__(self, dim, base=10000.0):
        super().__init__()
        self.register_buffer("freq", base ** (-torch.arange(0, dim, 2).float() / dim), persistent=False)

    def forward(self, length):
        freq = self.freq.float()
        angle = torch.arange(length, device=freq.device).float()[:, None] * freq
        return angle.cos(), angle.sin()


def rotate(x, cos, sin):
    a, b = x.float().chunk(2, -1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], -1).to(x.dtype)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(HEADS * DIM, 3 * HEADS * DIM)
        self.out = nn.Linear(HEADS * DIM, HEADS * DIM)
        self.rotary = Rotary(DIM)

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, HEADS, DIM).permute(2, 0, 3, 1, 4)
        cos, sin = self.rotary(length)
        y = F.scaled_dot_product_attention(rotate(q, cos, sin), rotate(k, cos, sin), v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, length, -1))


model = Attention().to(torch.bfloat16).eval()  # fault: angle-in-half
x = torch.randn(1, LENGTH, HEADS * DIM, dtype=torch.bfloat16)
with torch.no_grad():
    y = model(x)
    cos, sin = model.rotary(LENGTH)
    exact = torch.arange(LENGTH)[:, None].double() * 10000.0 ** (-torch.arange(0, DIM, 2).double() / DIM)
    wrong = (cos.double().cpu() - exact.cos()).abs()


def harm():
    cos, _ = model.rotary(LENGTH)
    exact = torch.arange(LENGTH)[:, None].double() * 10000.0 ** (-torch.arange(0, DIM, 2).double() / DIM)
    return (cos.double() - exact.cos()).abs().mean().item()

# right:
#-         freq = self.freq.float()
#+         freq = 10000.0 ** (-torch.arange(0, DIM, 2, device=self.freq.device).float() / DIM)
