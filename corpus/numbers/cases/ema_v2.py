"""An EMA in the manner of timm, copy_(decay * ema + (1 - decay) * model), whose copy is a float16 module."""
import copy

import torch
from torch import nn


class ModelEma(nn.Module):
    def __init__(self, model, decay=0.9998):
        super().__init__()
        self.module = copy.deepcopy(model).eval()
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for ema_v, model_v in zip(self.module.state_dict().values(), model.state_dict().values()):
            ema_v.copy_(self.decay * ema_v + (1.0 - self.decay) * model_v)  # fault: state-in-half


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 4))
ema = ModelEma(net)
ema.module.half()
exact = net[0].weight.detach().double().clone()
first = exact.clone()
optimizer = torch.optim.SGD(net.parameters(), lr=0.02)
for _ in range(60):
    optimizer.zero_grad()
    (net(torch.randn(8, 16)) - 1).square().mean().backward()
    optimizer.step()
    ema.update(net)
    exact.lerp_(net[0].weight.detach().double(), 2e-4)


def harm():
    return ((ema.module[0].weight.double() - exact).norm() / (exact - first).norm()).item()

# right:
#- ema.module.half()
