# machine: t4
import torch
from torch import nn

net = nn.Sequential(nn.Linear(8, 8), nn.ReLU()).cuda()
seen = []
net[0].register_forward_hook(lambda module, args, output: seen.append(output.detach().mean(0).cpu()))
net(torch.randn(2, 8, device="cuda"))
vector = torch.stack(seen).mean(0)
out = net(torch.randn(2, 8, device="cuda"))
out = out + 0.5 * vector

# fixed:
#- out = out + 0.5 * vector
#+ out = out + 0.5 * vector.to(out.device)
