"""Steps with a gradient norm above 10 are left out, but the norm is that of scaled gradients: every step is."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
scaler = torch.amp.GradScaler("cpu", init_scale=8192.0)
start = net[0].weight.detach().clone()
for _ in range(5):
    x = torch.randn(32, 8)
    with torch.autocast("cpu", dtype=torch.float16):
        loss = (net(x).float() - x[:, :1]).square().mean()
    scaler.scale(loss).backward()
    norm = torch.stack([p.grad.norm() for p in net.parameters()]).norm()  # fault: scaler-misuse
    if norm < 10:
        scaler.step(optimizer)
        scaler.update()
    optimizer.zero_grad()


def harm():
    return float(torch.equal(start, net[0].weight.detach()))

# right:
#-     norm = torch.stack([p.grad.norm() for p in net.parameters()]).norm()
#+     scaler.unscale_(optimizer)
#+     norm = torch.stack([p.grad.norm() for p in net.parameters()]).norm()
