"""An early stop compares the mean of scaled losses with the best one, while the scale changes."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(8, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=256.0, growth_interval=10)
best, bad = float("inf"), 0
for _ in range(30):
    x = torch.randn(32, 8)
    with torch.autocast("cpu", torch.float16):
        out = net(x)
    loss = (out.float() - x.sum(1, keepdim=True)).square().mean()
    loss = scaler.scale(loss)
    optimizer.zero_grad()
    loss.backward()
    scaler.step(optimizer)
    scaler.update()
    if loss.item() < best:  # fault: scaler-misuse
        best = loss.item()
    else:
        bad += 1


def harm():
    return max(best - 50, 0) / 50

# right:
#-     loss = scaler.scale(loss)
#+
#-     loss.backward()
#+     scaler.scale(loss).backward()
