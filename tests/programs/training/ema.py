# machine: a100
# real: cpu
import copy

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

dev = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Linear(4, 4).to(dev)
ema = copy.deepcopy(model).requires_grad_(False).eval()
averaged = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.99))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    model(torch.randn(2, 4, device=dev)).sum().backward()
    optimizer.step()
    with torch.no_grad():
        for old, new in zip(ema.parameters(), model.parameters()):
            old.lerp_(new, 0.01)
        for old, new in zip(ema.parameters(), model.parameters()):
            old.mul_(0.99).add_(new.data, alpha=0.01)
    averaged.update_parameters(model)
assert ema.weight.device == model.weight.device and ema.weight is not model.weight
