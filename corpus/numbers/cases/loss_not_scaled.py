"""Of two losses one is scaled, the other is not: unscaling makes its gradients 4096 times too small."""
import torch
from torch import nn

torch.manual_seed(0)
main, side = nn.Linear(8, 1), nn.Linear(8, 1)
start = side.weight.detach().clone()
optimizer = torch.optim.SGD([*main.parameters(), *side.parameters()], lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=4096.0)
batch = torch.randn(4, 8)
with torch.autocast("cpu", torch.float16):
    output, other = main(batch), side(batch)
scaler.scale(output.float().square().mean()).backward()
other.float().square().mean().backward()  # fault: scaler-misuse
scaler.step(optimizer)
scaler.update()


def harm():
    return float((side.weight - start).norm() < 1e-3)

# right:
#- other.float().square().mean().backward()
#+ scaler.scale(other.float().square().mean()).backward()
