"""A loop with gradient accumulation steps its scaler every fourth batch and never calls update."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(8, 1)
start = net.weight.detach().clone()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**40)
for n in range(48):
    x = torch.randn(16, 8)
    with torch.autocast("cpu", torch.float16):
        out = net(x)
    loss = (out.float() - x.sum(1, keepdim=True)).square().mean() / 4
    scaler.scale(loss).backward()
    if n % 4 == 3:
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()  # fault: scaler-misuse
        optimizer.zero_grad()
        scaler.update()


def harm():
    return net.weight.isnan().float().mean().item()

# right:
#-         optimizer.step()
#+         scaler.step(optimizer)
