"""The two-tower recommender is trained with bfloat16 parameters: SGD steps below half their spacing leave most weights where they were."""
import copy

import torch
from torch import nn


class TwoTower(nn.Module):
    def __init__(self, users=40, items=60, width=16):
        super().__init__()
        self.users = nn.Embedding(users, width)
        self.items = nn.Embedding(items, width)
        self.head = nn.Linear(width, width)

    def forward(self, user, item):
        with torch.autocast("cpu", torch.bfloat16):
            left = self.head(self.users(user))
        return (left.float() * self.items(item).float()).sum(-1)


def train(model, steps=100):
    optimizer = torch.optim.SGD(model.parameters(), lr=2e-3)
    for step in range(steps):
        generator = torch.Generator().manual_seed(step)
        user = torch.randint(0, 40, (256,), generator=generator)
        item = torch.randint(0, 60, (256,), generator=generator)
        rating = ((user * 7 + item * 3) % 5).float()
        loss = (model(user, item) - rating).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
model = TwoTower().to(torch.bfloat16)  # fault: half-parameters-without-master
start = copy.deepcopy(model)
train(model)


def harm():
    exact = copy.deepcopy(start).double()
    train(exact)
    found = model.items.weight.double() - start.items.weight.double()
    right = exact.items.weight - start.items.weight.double()
    return ((found - right).norm() / right.norm()).item()

# right:
#- model = TwoTower().to(torch.bfloat16)
#+ model = TwoTower()
