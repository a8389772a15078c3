"""Trains a small network with a frozen one before it; wide enough that its memory is its own."""

import sys

import torch
from torch import nn

import miscast


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.one = nn.Linear(width, 4 * width)
        self.norm = nn.LayerNorm(4 * width)
        self.two = nn.Linear(4 * width, 1)

    def forward(self, x):
        return self.two(self.norm(torch.relu(self.one(x))))


def main(width, rate, policy=None):
    """The losses."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(seed=1)  # by its name, as a program may call it
    encoder = nn.Linear(width, width).to(device).requires_grad_(False)
    net = Net(width).to(device)
    optimizer = torch.optim.AdamW(net.parameters(), lr=rate)
    if policy is not None:
        miscast.apply({"encoder": encoder, "net": net}, policy)
    losses = []
    for _ in range(6):
        x = torch.randn(8, width, device=device)
        loss = (net(encoder(x)).float() - 1).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    print("trained")
    return losses


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
