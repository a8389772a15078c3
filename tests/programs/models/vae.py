# machine: v100
# real: cpu
import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal, kl_divergence

dev = "cuda" if torch.cuda.is_available() else "cpu"
encoder, decoder = nn.Linear(16, 8).to(dev), nn.Linear(4, 16).to(dev)
x = torch.rand(3, 16, device=dev)
mu, logvar = encoder(x).chunk(2, -1)
q = Normal(mu, (logvar.clamp(-10, 10) / 2).exp())
z = q.rsample()
recon = torch.sigmoid(decoder(z))
kl = kl_divergence(q, Normal(torch.zeros_like(mu), torch.ones_like(mu))).sum(-1).mean()
loss = F.binary_cross_entropy(recon, x, reduction="sum") / 3 + kl
loss.backward()
print(loss.item(), z.device)
