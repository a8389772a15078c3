"""The votes of 300 stochastic passes are counted in uint8: the clear winner passes 255 and wraps to a small count."""
import torch
from torch import nn


@torch.no_grad()
def vote(model, x, classes, passes):
    model.train()  # dropout stays on
    votes = torch.zeros(x.shape[0], classes, dtype=torch.uint8)
    one = torch.ones(x.shape[0], 1, dtype=votes.dtype)
    for _ in range(passes):
        label = model(x).argmax(dim=1, keepdim=True)
        votes.scatter_add_(1, label, one)  # fault: wrap
    return votes


torch.manual_seed(0)
classifier = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 5))
rows = torch.randn(200, 20) * 3
votes = vote(classifier, rows, classes=5, passes=300)
label = votes.argmax(dim=1)
uncertain = votes.max(dim=1).values < 150


def harm():
    short = (votes.long().sum(1) != 300).sum().item()
    return float(int(uncertain.sum()))

# right:
#-     votes = torch.zeros(x.shape[0], classes, dtype=torch.uint8)
#+     votes = torch.zeros(x.shape[0], classes, dtype=torch.int32)
