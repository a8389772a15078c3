"""Two masks of -inf, padding and causal, are added; the first token of a left-padded row sees nothing: NaN."""
import torch

torch.manual_seed(0)
low = float("-inf")
padding = torch.zeros(2, 1, 6)
padding[1, :, :2] = low
causal = torch.full((6, 6), low).triu(1)
scores = torch.randn(2, 6, 6)
weights = torch.softmax(scores + padding + causal, dim=-1)  # fault: nan-mask


def harm():
    return weights.isnan().float().mean().item()

# right:
#- low = float("-inf")
#+ low = -1e9
