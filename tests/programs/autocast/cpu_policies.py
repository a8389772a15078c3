# machine: cpu
# real: cpu
import torch
import torch.nn.functional as F
from torch import nn

x = torch.randn(2, 8)
linear, norm = nn.Linear(8, 8), nn.LayerNorm(8)
with torch.autocast("cpu", dtype=torch.bfloat16):
    h = linear(x)
    assert h.dtype == torch.bfloat16 and norm(h).dtype == torch.bfloat16 and h.softmax(-1).dtype == torch.bfloat16
    assert torch.cat([h, x]).dtype == torch.float32 and (h + x).dtype == torch.float32
    assert F.mse_loss(h, x).dtype == torch.float32
    assert F.cross_entropy(h, torch.tensor([1, 2])).dtype in (torch.float32, torch.bfloat16)
    assert (h @ h.T).dtype == torch.bfloat16
    (y := norm(h)).float().sum().backward()
assert linear.weight.grad.dtype == torch.float32
