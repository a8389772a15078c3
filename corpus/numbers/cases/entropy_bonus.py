"""An entropy bonus from float16 probabilities, -(p * log(p)).sum(): an action that is all but impossible gives NaN."""
import torch
import torch.nn.functional as F


def entropy(logits):
    chances = F.softmax(logits, dim=-1)
    return -(chances * torch.log(chances)).sum(-1)  # fault: nan-mask


torch.manual_seed(0)
logits = torch.randn(16, 6)
logits[3, 2] = -40.0
bonus = entropy(logits.half()).mean()


def harm():
    return 0.0 if bonus.isfinite() else 1.0

# right:
#- bonus = entropy(logits.half()).mean()
#+ bonus = entropy(logits).mean()
