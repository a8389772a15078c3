"""GAN inversion looks for the latent of a picture: Adam steps of 2e-3 on a bfloat16 latent whose elements are near 2."""
import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 192)).requires_grad_(False)
mean_latent = 2.0 + 0.3 * torch.randn(64)
with torch.no_grad():
    picture = generator(mean_latent + 0.1 * torch.randn(64))
generator.bfloat16()

latent = mean_latent.clone().bfloat16().requires_grad_(True)
optimizer = torch.optim.Adam([latent], lr=2e-3)
losses = []
for _ in range(200):
    out = generator(latent.bfloat16())
    loss = (out.float() - picture).square().mean()
    losses.append(loss.item())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # fault: half-parameters-without-master


def harm():
    return losses[-1] / losses[0]

# right:
#- latent = mean_latent.clone().bfloat16().requires_grad_(True)
#+ latent = mean_latent.clone().requires_grad_(True)
