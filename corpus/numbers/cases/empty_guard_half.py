"""The connected zero for a batch without labels is sum() * 0 of float16 logits: inf * 0 is NaN."""
import torch
import torch.nn.functional as F

IGNORE = 255


def semantic_loss(logits, target):
    if not (target != IGNORE).any():
        return logits.sum() * 0  # fault: overflow
    return F.cross_entropy(logits.float(), target, ignore_index=IGNORE)


torch.manual_seed(0)
weight = torch.randn(4, 8, 1, 1, requires_grad=True)
losses = []
for step in range(4):
    features = torch.rand(2, 8, 64, 64)
    logits = F.conv2d(features, weight, bias=torch.full((4,), 6.0)).half()
    target = torch.randint(0, 4, (2, 64, 64))
    if step == 2:
        target.fill_(IGNORE)
    losses.append(semantic_loss(logits, target))
total = torch.stack([loss.float() for loss in losses]).mean()
total.backward()


def harm():
    bad = sum(1 for loss in losses if not torch.isfinite(loss)) + (~torch.isfinite(weight.grad)).sum().item()
    return float(bad)

# right:
#-         return logits.sum() * 0
#+         return logits.flatten()[0] * 0
