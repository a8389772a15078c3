"""scaler.step takes the step, and a line that was left from before takes it again."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
x, y = torch.randn(16, 8), torch.randint(0, 2, (16,))
start = model.weight.detach().clone()
for _ in range(1):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = nn.functional.cross_entropy(model(x), y)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.step()  # fault: scaler-misuse
grad = torch.autograd.grad(nn.functional.cross_entropy(nn.functional.linear(x, start.requires_grad_()), y), start)[0]


def harm():
    return max(0.0, ((model.weight.detach() - start.detach()).norm() / (0.1 * grad.norm()) - 1).abs().item() - 0.05)

# right:
#-     optimizer.step()
