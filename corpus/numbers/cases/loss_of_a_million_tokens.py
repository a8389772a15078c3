"""Token losses are summed micro-batch by micro-batch in bfloat16, and divided by the number of tokens at the end."""
import torch
from torch.nn import functional as F

torch.manual_seed(0)
logits = torch.randn(64, 128, 40)
labels = torch.randint(0, 40, (64, 128))


def average(logits, labels):
    total, count = logits.new_zeros(()), 0
    for one, wanted in zip(logits, labels):
        total = total + F.cross_entropy(one, wanted, reduction="sum")  # fault: accumulate-in-half
        count += wanted.numel()
    return total / count


loss = average(logits.bfloat16(), labels)


def harm():
    return abs(loss.double() / average(logits.double(), labels) - 1).item()

# right:
#- loss = average(logits.bfloat16(), labels)
#+ loss = average(logits, labels)
