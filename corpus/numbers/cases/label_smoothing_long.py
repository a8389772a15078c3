"""The smoothed target is made with full_like of an int64 tensor: 0.1 / 9 is truncated to 0, and so is 0.9."""
import torch
from torch import nn
import torch.nn.functional as F


class SmoothedCrossEntropy(nn.Module):
    def __init__(self, classes, smoothing=0.1):
        super().__init__()
        self.classes, self.smoothing = classes, smoothing

    def forward(self, logits, labels):
        onehot = F.one_hot(labels, self.classes)
        off = self.smoothing / (self.classes - 1)
        target = torch.full_like(onehot, off)  # fault: rounding-of-integers
        target[onehot.bool()] = 1 - self.smoothing
        return -(target * logits.log_softmax(dim=-1)).sum(dim=-1).mean()


torch.manual_seed(0)
logits = torch.randn(64, 10)
labels = torch.randint(10, (64,))
loss = SmoothedCrossEntropy(10)(logits, labels)


def harm():
    off = 0.1 / 9
    log_p = logits.double().log_softmax(-1)
    right = -(off * log_p.sum(-1) + (0.9 - off) * log_p.gather(1, labels[:, None])[:, 0]).mean().item()
    return float(abs(loss.item() - right))

# right:
#-         target = torch.full_like(onehot, off)
#+         target = torch.full_like(onehot, off, dtype=logits.dtype)
