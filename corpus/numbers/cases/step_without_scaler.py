"""Two optimizers, one scaler: the second steps by itself, with gradients that are still multiplied by 1024."""
import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Linear(6, 6), nn.Linear(6, 1)
one, two = torch.optim.SGD(body.parameters(), lr=1e-3), torch.optim.SGD(head.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
start = head.weight.detach().clone()
for _ in range(3):
    with torch.autocast("cpu", torch.float16):
        out = head(torch.tanh(body(torch.randn(8, 6))))
    scaler.scale((out.float() - 1).pow(2).mean()).backward()
    scaler.step(one)
    two.step()  # fault: scaler-misuse
    scaler.update()
    one.zero_grad(), two.zero_grad()


def harm():
    return 1.0 if (head.weight - start).abs().max() > 0.3 else 0.0

# right:
#-     two.step()
#+     scaler.step(two)
