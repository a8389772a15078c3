"""Pearson's correlation from raw sums, n * sum(xy) - sum(x) * sum(y), in float32 of prices near 3000."""
import torch


def pearson(x, y):
    n = len(x)
    over = n * (x * y).sum() - x.sum() * y.sum()  # fault: cancellation
    under = (n * (x * x).sum() - x.sum() ** 2) * (n * (y * y).sum() - y.sum() ** 2)
    return over / under.abs().sqrt()


torch.manual_seed(0)
x = 3000 + torch.randn(2000) * 0.5
y = 3000 + (x - 3000) * 0.8 + torch.randn(2000) * 0.3
alike = pearson(x, y)


def harm():
    exact = torch.corrcoef(torch.stack([x, y]).double())[0, 1].item()
    return min(1.0, abs(alike.item() / exact - 1))

# right:
#- alike = pearson(x, y)
#+ alike = pearson(x - x.mean(), y - y.mean())
