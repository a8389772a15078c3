"""A small transformer layer is fine-tuned in bfloat16 by Adam with a warmed-up rate of at most 2e-5."""
import torch
from torch import nn


def make(width, dtype):
    layer = nn.TransformerEncoderLayer(width, 2, 4 * width, dropout=0.0, batch_first=True)
    return layer.to(dtype)  # fault: half-parameters-without-master


torch.manual_seed(0)
layer = make(16, torch.bfloat16)
start = {name: one.detach().clone() for name, one in layer.named_parameters()}
optimizer = torch.optim.Adam(layer.parameters(), lr=2e-5)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 4))
for _ in range(8):
    x = torch.randn(2, 6, 16).to(layer.norm1.weight.dtype)
    loss = (layer(x).float() - x.float()).abs().mean()
    loss.backward()
    optimizer.step()
    schedule.step()
    optimizer.zero_grad(set_to_none=True)


def harm():
    same = [(one == start[name]).float().mean() for name, one in layer.named_parameters() if "norm" in name and "weight" in name]
    return torch.stack(same).mean().item()

# right:
#- layer = make(16, torch.bfloat16)
#+ layer = make(16, torch.float32)
