# machine: v100
# real: cpu
import torch
import torch.nn.functional as F
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
G = nn.Sequential(nn.ConvTranspose2d(8, 4, 4), nn.BatchNorm2d(4), nn.ReLU(), nn.ConvTranspose2d(4, 1, 4, 2, 1), nn.Tanh()).to(dev)
D = nn.Sequential(nn.utils.spectral_norm(nn.Conv2d(1, 4, 4, 2, 1)), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(64, 1)).to(dev)
opt_g, opt_d = torch.optim.Adam(G.parameters(), 2e-4, (0.5, 0.999)), torch.optim.Adam(D.parameters(), 2e-4)
real = torch.randn(2, 1, 8, 8, device=dev)
ones, zeros = torch.ones(2, 1, device=dev), torch.zeros(2, 1, device=dev)
for _ in range(2):
    fake = G(torch.randn(2, 8, 1, 1, device=dev))
    loss_d = F.binary_cross_entropy_with_logits(D(real), ones) + F.binary_cross_entropy_with_logits(D(fake.detach()), zeros)
    opt_d.zero_grad(), loss_d.backward(), opt_d.step()
    loss_g = F.binary_cross_entropy_with_logits(D(fake), ones)
    opt_g.zero_grad(), loss_g.backward(), opt_g.step()
