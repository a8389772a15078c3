"""Gradients of micro-batches are added up in one flat bfloat16 bucket."""
import torch
from torch import nn


class Bucket:
    def __init__(self, net, dtype):
        self.weights = list(net.parameters())
        self.flat = torch.zeros(sum(one.numel() for one in self.weights), dtype=dtype)

    def take(self):
        place = 0
        for one in self.weights:
            self.flat[place:place + one.numel()] += one.grad.flatten()  # fault: accumulate-in-half
            place += one.numel()
            one.grad = None


torch.manual_seed(0)
net = nn.Linear(8, 4)
bucket = Bucket(net, torch.bfloat16)
exact = 0
for _ in range(240):
    (net(torch.rand(4, 8) + 0.5) + 3).square().mean().backward()
    exact = exact + net.bias.grad.double().clone()
    bucket.take()


def harm():
    return (bucket.flat[-4:].double() / exact - 1).abs().mean().item()

# right:
#- bucket = Bucket(net, torch.bfloat16)
#+ bucket = Bucket(net, torch.float32)
