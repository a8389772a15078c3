# machine: a100
import torch
from torch import nn


def collate(samples):
    return {name: torch.stack([one[name] for one in samples]) for name in samples[0]}


def step(net, batch):
    return net(batch["x"]) - batch["y"]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(4, 4).to(device)
for _ in range(2):
    batch = collate([{"x": torch.randn(4), "y": torch.randn(4)} for _ in range(2)])
    step(net, batch).mean().backward()
# fixed:
#+     batch = {k: v.to(device) for k, v in batch.items()}
