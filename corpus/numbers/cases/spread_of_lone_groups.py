"""The spread of values in each cluster divides by n - 1 and multiplies lone members away: 0 / 0 times 0 is no 0."""
import torch


def spread_loss(values, cluster, clusters):
    zeros = torch.zeros(clusters)
    n = zeros.index_add(0, cluster, torch.ones(len(values)))
    mean = zeros.index_add(0, cluster, values) / n.clamp(min=1)
    squares = zeros.index_add(0, cluster, (values - mean[cluster]).square())
    variance = squares / (n - 1)  # fault: nan-mask
    several = (n > 1).float()
    return (variance * several).sum() / several.sum()


torch.manual_seed(0)
values = torch.randn(60, requires_grad=True)
losses = []
for _ in range(4):
    cluster = torch.cat([torch.randint(12, (59,)), torch.tensor([12])])
    losses.append(spread_loss(values, cluster, 13))
torch.stack(losses).mean().backward()


def harm():
    return values.grad.isnan().float().mean().item()

# right:
#-     variance = squares / (n - 1)
#+     variance = squares / (n - 1).clamp(min=1)
