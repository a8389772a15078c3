"""The shares of chosen experts are cast to float16 and then made to add up to one: tiny ones are 0 / 0."""
import torch


def combine(logits, chosen, dtype):
    chances = logits.softmax(-1).to(dtype)
    best = chances.gather(-1, chosen)  # the router decided on biased scores
    return best / best.sum(-1, keepdim=True)  # fault: underflow


torch.manual_seed(0)
logits = torch.randn(32, 16) * 2
logits[:, 0] += 30.0
chosen = torch.randint(1, 16, (32, 2))
weights = combine(logits, chosen, torch.float16)


def harm():
    return 1 - weights.isfinite().float().mean().item()

# right:
#- weights = combine(logits, chosen, torch.float16)
#+ weights = combine(logits, chosen, torch.float32)
