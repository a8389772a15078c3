"""Focal weights (1 - p) ** 3 of easy samples in float16, normalised by their sum: all are 0, and the loss is 0 / 0."""
import torch


def focal(logits, labels, gamma=3.0):
    logp = logits.float().log_softmax(-1).gather(1, labels[:, None])[:, 0]
    rest = (1 - logp.exp()).to(logits.dtype)
    weight = rest**gamma  # fault: underflow
    return (weight * -logp).sum() / weight.sum()


torch.manual_seed(0)
labels = torch.randint(0, 4, (64,))
logits = 0.2 * torch.randn(64, 4)
logits[torch.arange(64), labels] += 8.0
loss = focal(logits.half(), labels)


def harm():
    return float(not loss.isfinite())

# right:
#- loss = focal(logits.half(), labels)
#+ loss = focal(logits, labels)
