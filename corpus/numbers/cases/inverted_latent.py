"""A picture is inverted to a latent of a half generator: the latent itself is a half tensor that SGD moves by small steps."""
import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 48)).to(torch.bfloat16).requires_grad_(False)
target = generator(torch.randn(4, 32).bfloat16()).float()

latent = nn.Parameter(1.0 + torch.rand(4, 32, dtype=torch.bfloat16))
start = latent.detach().clone()
optimizer = torch.optim.SGD([latent], lr=0.02, momentum=0.5)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 40)
for _ in range(20):
    picture = generator(latent.to(torch.bfloat16))
    loss = (picture.float() - target).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # fault: half-parameters-without-master
    schedule.step()


def harm():
    return (latent == start).float().mean().item()

# right:
#- latent = nn.Parameter(1.0 + torch.rand(4, 32, dtype=torch.bfloat16))
#+ latent = nn.Parameter(1.0 + torch.rand(4, 32))
