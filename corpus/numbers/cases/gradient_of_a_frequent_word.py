"""The gradient of an embedding adds up all places of a word in the table's bfloat16: a space that comes 6000 times stops."""
import torch
from torch import nn


class Bag(nn.Module):
    def __init__(self, words, dim, dtype):
        super().__init__()
        self.words = nn.Embedding(words, dim, dtype=dtype)
        self.head = nn.Linear(dim, 1, dtype=torch.bfloat16)

    def forward(self, ids):
        found = self.words(ids)  # fault: accumulate-in-half
        return self.head(found.bfloat16()).float()


torch.manual_seed(0)
ids = torch.where(torch.rand(16, 1024) < 0.4, 0, torch.randint(1, 200, (16, 1024)))
model = Bag(200, 16, torch.bfloat16)
loss = model(ids).sum(1).mean()
loss.backward()


def harm():
    # the gradient of each place is the head's weight / 16
    true = model.head.weight[0].double() / 16 * (ids == 0).sum()
    return ((model.words.weight.grad[0].double() - true).norm() / true.norm()).item()

# right:
#- model = Bag(200, 16, torch.bfloat16)
#+ model = Bag(200, 16, torch.float32)
