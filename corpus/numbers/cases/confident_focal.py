"""A sigmoid focal loss by hand in float16: (1 - pt) ** 2 * log(pt), where pt of a sure mistake is 0."""
import torch
from torch import nn


class FocalLoss(nn.Module):
    def __init__(self, gamma=2.0, alpha=0.25):
        super().__init__()
        self.gamma, self.alpha = gamma, alpha

    def forward(self, logits, target):
        p = logits.sigmoid()
        ce = -(target * p.log() + (1 - target) * (1 - p).log())  # fault: underflow
        pt = p * target + (1 - p) * (1 - target)
        weight = self.alpha * target + (1 - self.alpha) * (1 - target)
        return (weight * (1 - pt) ** self.gamma * ce).mean()


torch.manual_seed(0)
logits = torch.randn(512) * 6
target = (torch.rand(512) < 0.5).float()
dtype = torch.float16
loss = FocalLoss()(logits.to(dtype), target.to(dtype))


def harm():
    return float(not loss.isfinite())

# right:
#- dtype = torch.float16
#+ dtype = torch.float64
