"""NT-Xent with a temperature of 0.07 by exponentials of float16 cosines: exp(14) does not fit."""
import torch
import torch.nn.functional as F


def nt_xent(z1, z2, temperature=0.07):
    z = F.normalize(torch.cat([z1, z2]), dim=-1)
    sim = torch.exp(z @ z.T / temperature)  # fault: overflow
    n = len(z1)
    mask = ~torch.eye(2 * n, dtype=torch.bool)
    pos = torch.cat([sim.diagonal(n), sim.diagonal(-n)])
    return -torch.log(pos / (sim * mask).sum(-1)).mean()


torch.manual_seed(0)
z1 = torch.randn(16, 32)
z2 = z1 + torch.randn(16, 32) * 0.1
dtype = torch.float16
loss = nt_xent(z1.to(dtype), z2.to(dtype))


def harm():
    return float(not loss.isfinite())

# right:
#- dtype = torch.float16
#+ dtype = torch.float32
