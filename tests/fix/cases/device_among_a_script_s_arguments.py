# machine: a100
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
args = parser.parse_args([])
net = nn.Linear(4, 3).to(args.device)
costs = torch.tensor([1.0, 2.0, 3.0])
x = torch.randn(5, 4, device=args.device)
print((net(x) * costs).sum())
# fixed:
#- costs = torch.tensor([1.0, 2.0, 3.0])
#+ costs = torch.tensor([1.0, 2.0, 3.0], device=args.device)
