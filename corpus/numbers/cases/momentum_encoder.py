"""A momentum encoder of contrastive learning, m = 0.9995, by parameter.data in a loop over zip, both float16."""
import copy

import torch
from torch import nn


class Pair(nn.Module):
    def __init__(self, encoder, momentum=0.9995):
        super().__init__()
        self.query, self.key, self.momentum = encoder, copy.deepcopy(encoder), momentum

    @torch.no_grad()
    def follow(self):
        for q, k in zip(self.query.parameters(), self.key.parameters()):
            k.data = k.data * self.momentum + q.data * (1.0 - self.momentum)  # fault: state-in-half


torch.manual_seed(0)
pair = Pair(nn.Linear(8, 8, bias=False)).half()
with torch.no_grad():
    pair.query.weight += 0.05
start = pair.key.weight.detach().clone()
for _ in range(200):
    pair.follow()


def harm():
    way = (pair.key.weight - start).double().mean().item()
    exact = (pair.query.weight - start).double().mean().item() * (1 - 0.9995**200)
    return abs(way / exact - 1)

# right:
#- pair = Pair(nn.Linear(8, 8, bias=False)).half()
#+ pair = Pair(nn.Linear(8, 8, bias=False))
