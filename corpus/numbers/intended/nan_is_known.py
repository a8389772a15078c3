"""Programs that divide by 0 and know it: nanmean, isnan, where, masked_fill."""
import torch
from torch import nn

torch.manual_seed(0)
guess = torch.randint(0, 3, (4, 16, 16))
truth = torch.randint(0, 3, (4, 16, 16))


def mean_iou(count):
    both = torch.stack([((guess == n) & (truth == n)).sum() for n in range(count)]).float()
    either = torch.stack([((guess == n) | (truth == n)).sum() for n in range(count)]).float()
    return torch.nanmean(both / either)  # the class 3 is nowhere


def pooled(hidden, mask):
    count = mask.sum(1, keepdim=True)
    return torch.where(count > 0, (hidden * mask[..., None]).sum(1) / count, 0.0)


def degrees(adjacency):
    inverse = 1.0 / adjacency.sum(-1)
    inverse[torch.isinf(inverse)] = 0.0
    return inverse


score = mean_iou(4)
means = pooled(torch.randn(3, 10, 8), (torch.arange(10) < torch.tensor([10, 4, 0])[:, None]).float())
weights = degrees(torch.tensor([[0.0, 1.0], [0.0, 0.0]]))
bias = torch.zeros(1, 6).masked_fill(torch.arange(6) > 3, float("-inf"))
attention = torch.softmax(torch.randn(6, 6) + bias, -1)
for _ in range(3):
    loss = nn.functional.mse_loss(means, torch.zeros(3, 8))
    if torch.isnan(loss):
        continue
