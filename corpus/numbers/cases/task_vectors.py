"""A task vector is the difference of two checkpoints that were saved in bfloat16: most of it is 0 or one step."""
import torch
from torch import nn


def export(model, dtype):
    return {k: v.detach().clone().to(dtype) for k, v in model.state_dict().items()}


def task_vector(tuned, base):
    return {k: tuned[k] - base[k] for k in base}  # fault: cancellation


torch.manual_seed(0)
model = nn.Linear(32, 32)
dtype = torch.bfloat16
base = export(model, dtype)
exact_base = export(model, torch.float64)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
for _ in range(10):
    optimizer.zero_grad()
    (model(torch.randn(16, 32)) - 1).square().mean().backward()
    optimizer.step()
tau = task_vector(export(model, dtype), base)


def harm():
    exact = task_vector(export(model, torch.float64), exact_base)["weight"]
    return ((tau["weight"].double() - exact).norm() / exact.norm()).item()

# right:
#- dtype = torch.bfloat16
#+ dtype = torch.float32
