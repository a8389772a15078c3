"""All of a classifier is bfloat16 and trained by AdamW at 2e-5, which its norms' weights of 1 do not feel."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(16, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 2)).to(torch.bfloat16)  # fault: half-parameters-without-master
optimizer = torch.optim.AdamW(net.parameters(), lr=2e-5, weight_decay=0.0)
start = net[1].weight.detach().clone()
for _ in range(40):
    x = torch.randn(32, 16)
    with torch.autocast("cpu", torch.bfloat16):
        out = net(x.to(net[0].weight.dtype))
    loss = nn.functional.cross_entropy(out.float(), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def harm():
    moved = (net[1].weight - start).abs().max().item()
    return 1 - min(moved / 2e-4, 1)

# right:
#- net = nn.Sequential(nn.Linear(16, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 2)).to(torch.bfloat16)
#+ net = nn.Sequential(nn.Linear(16, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 2))
