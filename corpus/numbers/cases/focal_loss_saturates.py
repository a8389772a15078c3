"""The focal loss takes log(1 - sigmoid(x)): from x = 17 on the sigmoid is 1 in float32 and the loss infinite."""
import torch
import torch.nn.functional as F


def focal_loss(logits, target, alpha=0.25, gamma=2.0):
    prob = torch.sigmoid(logits)
    positive = -alpha * (1 - prob) ** gamma * F.logsigmoid(logits)
    negative = -(1 - alpha) * prob ** gamma * torch.log(1 - prob)  # fault: underflow
    return torch.where(target, positive, negative).mean()


torch.manual_seed(0)
logits = torch.randn(8, 1, 24, 24) * 5  # heat map of a detector, early in the training
target = torch.rand(8, 1, 24, 24) > 0.97
loss = focal_loss(logits, target)


def harm():
    x = logits.double()
    p = x.sigmoid()
    terms = torch.where(target, -0.25 * (1 - p) ** 2 * F.logsigmoid(x), -0.75 * p ** 2 * F.logsigmoid(-x))
    return float(abs(loss.item() - terms.mean().item()))

# right:
#-     negative = -(1 - alpha) * prob ** gamma * torch.log(1 - prob)
#+     negative = -(1 - alpha) * prob ** gamma * F.logsigmoid(-logits)
