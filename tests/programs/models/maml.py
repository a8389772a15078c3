# machine: v100
# real: cpu
import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call

dev = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1)).to(dev)
meta = torch.optim.Adam(model.parameters(), 1e-3)
for _ in range(2):
    outer = 0.0
    for task in range(2):
        x = torch.rand(5, 1, device=dev)
        y = torch.sin(x + task)
        fast = dict(model.named_parameters())
        for _ in range(2):
            loss = F.mse_loss(functional_call(model, fast, (x,)), y)
            grads = torch.autograd.grad(loss, fast.values(), create_graph=True)
            fast = {k: p - 0.01 * g for (k, p), g in zip(fast.items(), grads)}
        outer = outer + F.mse_loss(functional_call(model, fast, (x,)), y)
    meta.zero_grad()
    outer.backward()
    meta.step()
