"""A sliding window of 64 tokens compares positions that were made with the dtype of the scores, bfloat16."""
import torch


def window_mask(scores, window):
    n = scores.shape[-1]
    place = torch.arange(n, dtype=scores.dtype, device=scores.device)  # fault: index-in-half
    behind = place[:, None] - place[None, :]
    return scores.masked_fill((behind < 0) | (behind >= window), torch.finfo(scores.dtype).min)


torch.manual_seed(0)
scores = torch.randn(1, 1024, 1024)
weights = window_mask(scores.to(torch.bfloat16), 64).softmax(-1)


def harm():
    i = torch.arange(1024)
    allowed = ((i[:, None] - i) >= 0) & ((i[:, None] - i) < 64)
    return ((weights[0] > 0) != allowed).float().sum().item() / allowed.sum().item()

# right:
#- weights = window_mask(scores.to(torch.bfloat16), 64).softmax(-1)
#+ weights = window_mask(scores, 64).softmax(-1)
