"""ReduceLROnPlateau is given the scaled loss: whenever the scale doubles the loss seems to have risen, and the rate falls."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=3, factor=0.3)
scaler = torch.amp.GradScaler("cpu", init_scale=128.0, growth_interval=15)
for epoch in range(16):
    seen = 0.0
    for _ in range(10):
        x = torch.randn(64, 16)
        with torch.autocast("cpu", torch.float16):
            out = net(x)
            loss = (out.float() - x.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        scaled = scaler.scale(loss)
        scaled.backward()
        scaler.step(optimizer)
        scaler.update()
        seen += loss.detach()
    plateau.step(scaled.item())  # fault: scaler-misuse


def harm():
    return 1 - optimizer.param_groups[0]["lr"] / 1e-3

# right:
#-     plateau.step(scaled.item())
#+     plateau.step(seen.item() / 10)
