"""Monte Carlo dropout: sum() over 500 bfloat16 predictions and a division by their number."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 10)).bfloat16()
x = torch.randn(8, 16).bfloat16()
with torch.no_grad():
    passes = [net(x).softmax(-1) for _ in range(500)]
mean = sum(passes) / len(passes)  # fault: accumulate-in-half
uncertain = -(mean.float() * mean.float().clamp_min(1e-6).log()).sum(-1)


def harm():
    exact = torch.stack(passes).double().mean(0)
    true = -(exact * exact.log()).sum(-1)
    return ((uncertain - true).abs() / true).max().item()

# right:
#- mean = sum(passes) / len(passes)
#+ mean = torch.stack(passes).mean(0)
