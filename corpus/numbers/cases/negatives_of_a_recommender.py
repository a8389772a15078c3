"""Negative items of a recommender are drawn as rand * number of items with rand in the model's bfloat16: 256 of 20000."""
import torch
import torch.nn.functional as F
from torch import nn


class TwoTowers(nn.Module):
    def __init__(self, users, items, dim, dtype):
        super().__init__()
        self.users = nn.Embedding(users, dim, dtype=dtype)
        self.items = nn.Embedding(items, dim, dtype=dtype)

    def draw_negatives(self, shape):
        u = torch.rand(shape, dtype=self.items.weight.dtype)
        return (u * self.items.num_embeddings).long().clamp_max(self.items.num_embeddings - 1)  # fault: index-in-half

    def forward(self, user, item, k=50):
        negatives = self.draw_negatives((len(user), k))
        u = self.users(user)
        good = (u * self.items(item)).sum(-1, keepdim=True).float()
        bad = torch.einsum("bd,bkd->bk", u, self.items(negatives)).float()
        return F.softplus(bad - good).mean(), negatives


torch.manual_seed(0)
model = TwoTowers(1000, 20000, 8, torch.bfloat16)
drawn = []
for _ in range(10):
    loss, negatives = model(torch.randint(1000, (256,)), torch.randint(20000, (256,)))
    loss.backward()
    drawn.append(negatives.flatten())


def harm():
    return 1 - torch.cat(drawn).unique().numel() / 20000

# right:
#-         u = torch.rand(shape, dtype=self.items.weight.dtype)
#-         return (u * self.items.num_embeddings).long().clamp_max(self.items.num_embeddings - 1)
#+         return torch.randint(self.items.num_embeddings, shape)
