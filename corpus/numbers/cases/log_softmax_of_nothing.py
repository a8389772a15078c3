"""All actions of a state are forbidden with -inf: their log-probabilities are NaN."""
import torch

torch.manual_seed(0)
logits = torch.randn(3, 4)
allowed = torch.tensor([[True, True, False, True], [False] * 4, [True] * 4])
masked = torch.where(allowed, logits, torch.tensor(float("-inf")))
chances = masked.log_softmax(-1)  # fault: nan-mask


def harm():
    return float(chances.isnan().sum())

# right:
#- masked = torch.where(allowed, logits, torch.tensor(float("-inf")))
#+ masked = torch.where(allowed, logits, torch.tensor(-1e8))
