# machine: a100
# real: cpu
# SimpleTuner #854 in miniature, per-parameter loop and an optimizer that does not care.
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Linear(8, 8).to(dev, torch.bfloat16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    model(torch.randn(2, 8, device=dev, dtype=torch.bfloat16)).sum().backward()
    for param in model.parameters():
        param.grad.data = param.grad.data.to(torch.float32)
    optimizer.step()
