"""A table of features has the customers' ids as a float32 column: neighbours over 2**24 become one customer."""
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


def table(rows):
    generator = torch.Generator().manual_seed(7)
    ids = 33_554_433 + torch.randperm(rows, generator=generator)
    amount = torch.rand(rows, generator=generator)
    hour = torch.randint(0, 24, (rows,), generator=generator)
    churned = (ids % 2).float()
    columns = torch.stack([ids, amount, hour], dim=1)  # fault: rounding-of-integers
    return columns, churned


class Churn(nn.Module):
    def __init__(self, buckets=64):
        super().__init__()
        self.buckets = buckets
        self.customer = nn.Embedding(buckets, 8)
        self.head = nn.Linear(10, 1)

    def forward(self, rows):
        customer = self.customer(rows[:, 0].long() % self.buckets)
        rest = torch.stack([rows[:, 1], rows[:, 2] / 24], dim=1).float()
        return self.head(torch.cat([customer, rest], dim=1)).squeeze(1)


torch.manual_seed(0)
columns, churned = table(512)
loader = DataLoader(TensorDataset(columns, churned), batch_size=64, shuffle=True)
model = Churn()
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for epoch in range(6):
    for rows, label in loader:
        loss = F.binary_cross_entropy_with_logits(model(rows), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

model.eval()
with torch.no_grad():
    accuracy = ((model(columns) > 0).float() == churned).float().mean().item()


def harm():
    return 1 - columns[:, 0].unique().numel() / len(columns)

# right:
#-     columns = torch.stack([ids, amount, hour], dim=1)
#+     columns = torch.stack([ids.double(), amount, hour], dim=1)
