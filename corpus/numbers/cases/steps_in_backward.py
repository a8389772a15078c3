"""Each parameter takes its step in a hook as soon as its gradient is there, to save memory: the gradient is still scaled."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 4))
scaler = torch.amp.GradScaler("cpu", init_scale=512.0)
optimizers = {p: torch.optim.SGD([p], lr=0.02) for p in net.parameters()}


def step_at_once(p):
    optimizers[p].step()  # fault: scaler-misuse
    optimizers[p].zero_grad()


for p in net.parameters():
    p.register_post_accumulate_grad_hook(step_at_once)
x = torch.randn(64, 8)
for _ in range(10):
    with torch.autocast("cpu", torch.bfloat16):
        out = net(x)
    loss = (out.float() - x[:, :4]).square().mean()
    scaler.scale(loss).backward()


def harm():
    return float(not loss.item() < 2)

# right:
#-     scaler.scale(loss).backward()
#+     loss.backward()
